import { type FileSpec, makeDepot, type StandInDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'

/** A 64-bit little-endian ELF library that requests an executable stack, `size` bytes long. */
export function galaxyLibrary(seed: number, size = 20_000): Buffer {
  const bytes = seededBytes(seed, size)
  bytes.fill(0, 0, 64 + 2 * 56)
  bytes.write('\x7fELF\x02\x01\x01', 0, 'latin1')
  bytes.writeBigUInt64LE(64n, 0x20)
  bytes.writeUInt16LE(56, 0x36)
  bytes.writeUInt16LE(2, 0x38)
  bytes.writeUInt32LE(1, 64)
  bytes.writeUInt32LE(5, 68)
  bytes.writeUInt32LE(0x6474e551, 120)
  bytes.writeUInt32LE(7, 124)
  return bytes
}

/** Names of localized content, as the game has them. */
const LOCALIZED = [
  'Content/Maps/Town.de-DE.xnb',
  'Content/Strings/UI.ja-JP.xnb',
  'Content/Strings/UI.zh-CN.xnb',
]

/** The game's list of content files: order and odd values must survive pruning. */
function contentHashes(files: readonly FileSpec[]): Buffer {
  const names = files.filter(({ path }) => path.startsWith('Content/') && path.endsWith('.xnb'))
  const members = names.map(({ path }, index) => {
    const value = index % 3 === 0 ? '12345678901234567890' : `"hash-${index}"`
    return `  ${JSON.stringify(path.slice('Content/'.length))}: ${value}`
  })
  return Buffer.from(`{\n  "99": "first, though a number",\n${members.join(',\n')}\n}\n`)
}

/** The files of a small game, covering every rule of the download. */
export function gameFiles(seed = 1): FileSpec[] {
  const files: FileSpec[] = [
    { path: 'StardewValley', content: Buffer.from(`#!/bin/sh\n# launcher ${seed}\n`), flags: 32 },
    { path: 'Stardew Valley', content: seededBytes(seed + 1, 90_000), flags: 128 },
    { path: 'steam_appid.txt', content: Buffer.from('413150') },
    { path: 'libGalaxy64.so', content: galaxyLibrary(seed + 2) },
    { path: 'libGalaxyCSharpGlue.so', content: galaxyLibrary(seed + 3, 5000) },
    { path: 'Content/XACT/Wave Bank.xwb', content: seededBytes(seed + 4, 60_000) },
    { path: 'Content/XACT/Wave Bank(1.4).xwb', content: seededBytes(seed + 5, 30_000) },
    { path: 'Content/XACT/Sound Bank.xsb', content: seededBytes(seed + 6, 3000) },
    { path: 'Content/Maps/Town.xnb', content: seededBytes(seed + 7, 200_000) },
    { path: 'Content/Maps/town.xnb', content: seededBytes(seed + 8, 1000) },
    { path: 'Content/Fonts/SmallFont.xnb', content: seededBytes(seed + 9, 4000) },
    { path: 'Content/Fonts/Chinese.zh-CN.xnb', content: seededBytes(seed + 10, 4000) },
    { path: 'Content/Fonts/Chinese_round.xnb', content: seededBytes(seed + 11, 4000) },
    { path: 'Content/Fonts/Japanese_0.xnb', content: seededBytes(seed + 12, 4000) },
    { path: 'Content/Fonts/Korean_0.xnb', content: seededBytes(seed + 13, 4000) },
    ...LOCALIZED.map((path, index) => ({ path, content: seededBytes(seed + 20 + index, 2000) })),
    { path: 'lib/libSDL2.so', flags: 512, target: 'libSDL2.so.0' },
    { path: 'lib/libSDL2.so.0', content: seededBytes(seed + 30, 9000) },
    { path: 'empty.txt', content: Buffer.alloc(0) },
    { path: 'Mods', flags: 64 },
  ]
  return [...files, { path: 'Content/ContentHashes.json', content: contentHashes(files) }]
}

const CHUNK = 16 * 1024

let first: StandInDepot | undefined

/** A version of the small game in small chunks, so that there are many, in all three containers. */
export function gameDepot(files?: readonly FileSpec[], manifestId?: string): StandInDepot {
  if (files !== undefined) return cutSmall(files, manifestId)
  // The first version is made once: every test starts with it.
  first ??= cutSmall(gameFiles())
  return first
}

function cutSmall(files: readonly FileSpec[], manifestId = '7123456789012345678'): StandInDepot {
  return makeDepot({ files, manifestId, chunkSize: CHUNK, formats: ['zstd', 'zip', 'lzma'] })
}

/** The SDK redistributable. */
export function sdkDepot(): StandInDepot {
  const files = [{ path: 'linux64/steamclient.so', content: seededBytes(77, 50_000) }]
  return makeDepot({ files, depotId: 1006, manifestId: '6403079453713498174' })
}
