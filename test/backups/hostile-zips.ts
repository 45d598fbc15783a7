/** Small zips that once used up the memory or the time of a whole process. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { type CraftedEntry, craftedZip } from './crafted-zip.ts'

const packed = (content: Buffer) => ({
  crc: crc32(content),
  bytes: content.length,
  packed: { method: 8, content: deflateRawSync(content) },
})

/** Megabytes of one character. The checksum is wrong, which shows at its end. */
function much(name: string, megabytes: number, character: string): CraftedEntry {
  const piece = Buffer.alloc(2 ** 20, character)
  const block = deflateRawSync(piece, { finishFlush: constants.Z_FULL_FLUSH })
  const content = Buffer.concat([...Array.from({ length: megabytes }, () => block), Buffer.from([3, 0])])
  return { name, bytes: megabytes * piece.length, packed: { method: 8, content } }
}

const people = Buffer.from(
  `{"format":1,"madeAt":"2026-01-01T00:00:00Z","reason":"day","save":"A_1","farmName":"A","season":"spring","day":1,"year":1,"gameVersion":"1","people":[${'0,'.repeat(4_194_000)}0],"files":[]}`,
)

/** A manifest of exactly so many bytes. */
const padded = (id: string, bytes: number) =>
  Buffer.from(JSON.stringify({ Name: id, Version: '1.0.0', UniqueID: id, EntryDll: 'a.dll' }).padEnd(bytes))

const numbered = (count: number, entry: (at: number) => CraftedEntry) =>
  craftedZip(Array.from({ length: count }, (_, at) => entry(at)))

/** By what is in them. */
export const hostileZips = {
  'a manifest of 8 MiB with four million people': () =>
    craftedZip([{ name: 'farmgate-backup.json', ...packed(people) }]),
  'one entry of 32,000 folders': () => craftedZip([{ name: `${'a/'.repeat(32_000)}b`, content: 'x' }]),
  '4,090 mods with manifests of 256 KiB': () =>
    numbered(4090, (at) => ({ name: `M${at}/manifest.json`, ...packed(padded(`A.M${at}`, 256 * 1024)) })),
  '1.5 GB of zeros': () => craftedZip([much('zeros', 1500, '\0')]),
  '20,000 small mods': () =>
    numbered(20_000, (at) => ({ name: `M${at}/manifest.json`, content: padded(`A.M${at}`, 1) })),
} as const

/** A farm's description of 450 MB. */
export const largeFarmManifest = () => craftedZip([much('farm.json', 450, ' ')])
