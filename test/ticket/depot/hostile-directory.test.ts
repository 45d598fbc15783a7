import { execFileSync, fork } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { installGame, verifyGame } from '../../../ticket/depot/install/game.ts'
import { keepAll } from '../../../ticket/depot/plan/filter.ts'
import { partialPath } from '../../../ticket/depot/tree/file-names.ts'
import { depotPlatform } from '../../platform/depot-platform.ts'
import { type FileSpec, makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { contentServer, contextOf, GAME, newFolder, tree } from './farm.ts'
import { sdkDepot } from './games.ts'

const secret = 'refresh-token-of-the-account'
const hashes = '{"Maps/Town.xnb":"1","Maps/Gone.xnb":"2"}'
const files: FileSpec[] = [
  { path: 'StardewValley', content: Buffer.from('#!/bin/sh\n'), flags: 32 },
  { path: 'Content/ContentHashes.json', content: Buffer.from(hashes) },
  { path: 'Content/Maps/Town.xnb', content: seededBytes(1, 90_000) },
  { path: 'lib/game.so', content: seededBytes(2, 5000), flags: 32 },
]

/** An installed game, and a folder outside of it with a secret, where nothing can change. */
async function installed() {
  const depot = makeDepot({ files, chunkSize: 16_384 })
  const cdn = await contentServer(depot, sdkDepot())
  const platform = depotPlatform({ [GAME]: depot, 1007: sdkDepot() }, [cdn.host])
  const { context, close } = contextOf(platform)
  onTestFinished(close)
  const directory = newFolder()
  const outside = newFolder()
  const secretFile = join(outside, 'session-junimo.json')
  writeFileSync(secretFile, secret, { mode: 0o600 })
  const request = { appId: GAME, directory, filter: keepAll }
  const ended = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => {
        // Not the address by which the service opens a file.
        expect(String(error)).not.toContain('/proc/')
        return error instanceof Error && 'kind' in error ? String(error.kind) : `${error}`
      },
    )
  const game = {
    directory,
    secretFile,
    outside,
    cdn,
    at: (path: string): string => join(directory, path),
    install: () => ended(installGame(request, () => undefined, context)),
    verify: () => ended(verifyGame(request, context)),
    /** Fails when something outside was created, changed or made readable, or the secret is in the game directory. */
    expectNothingTaken() {
      expect(readdirSync(outside)).toEqual(['session-junimo.json'])
      expect(readFileSync(secretFile, 'utf8')).toBe(secret)
      expect(statSync(secretFile).mode & 0o777).toBe(0o600)
      for (const path of regularFiles(directory)) expect(readFileSync(path, 'utf8')).not.toContain(secret)
    },
  }
  expect(await game.install()).toBe('done')
  // With this folder, a list of content files could be written into the SDK, which has none.
  mkdirSync(game.at('.steam-sdk/Content'))
  return game
}

/** Regular files with one name: a hard link to the secret is not a copy of it. */
function regularFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const at = join(folder, name)
    const found = lstatSync(at)
    if (found.isDirectory()) return regularFiles(at)
    return found.isFile() && found.nlink === 1 ? [at] : []
  })
}

type Game = Awaited<ReturnType<typeof installed>>

/** What the game server can put in any place. */
const entries: Record<string, (at: string, game: Game) => void> = {
  'a link to the session file': (at, { secretFile }) => symlinkSync(secretFile, at),
  'a link to nothing outside': (at, { outside }) => symlinkSync(join(outside, 'new'), at),
  'a link to a folder outside': (at, { outside }) => symlinkSync(outside, at),
  'a FIFO': (at) => execFileSync('mkfifo', [at]),
  'a socket': (at) => {
    const server = createServer().listen(at)
    onTestFinished(() => void server.close())
  },
  'a folder with a file': (at) => {
    mkdirSync(at)
    writeFileSync(join(at, 'mine'), 'mine')
  },
  'a hard link to the session file': (at, { secretFile }) => linkSync(secretFile, at),
}

/** All places that a download or `verify` reads or writes. */
const places = [
  '.download-lock',
  '.download-files.json',
  `.download-manifest-${GAME}`,
  `.download-repairing-${GAME}`,
  '.download-content-hashes.json',
  '.download-new',
  '.steam-sdk/.download-content-hashes.json',
  'Content/ContentHashes.json',
  'StardewValley',
  'lib/game.so',
  'Content/Maps/Town.xnb',
  partialPath('Content/Maps/Town.xnb'),
  partialPath('Content/ContentHashes.json'),
  '.steam-sdk',
  '.steam-sdk/linux64',
  'Content',
  'Content/Maps',
]

test.each(Object.keys(entries))(
  '%s at any place: verify and download end, and no file outside is read or changed',
  async (entry) => {
    const game = await installed()
    const good = tree(game.directory)
    for (const place of places) {
      // A missing file makes the download write and use its partial file.
      if (place.includes('part-')) rmSync(game.at('Content/Maps/Town.xnb'))
      if (place.startsWith('.download-part-')) rmSync(game.at('.download-content-hashes.json'))
      rmSync(game.at(place), { recursive: true, force: true })
      entries[entry]?.(game.at(place), game)
      const outcomes = { place, verify: await game.verify(), install: await game.install() }
      expect({ place, verify: 'done', install: 'done' }).toMatchObject(
        JSON.parse(JSON.stringify(outcomes).replaceAll('conflict', 'done')),
      )
      game.expectNothingTaken()
      rmSync(game.at(place), { recursive: true, force: true })
      expect(await game.install()).toBe('done')
      expect(tree(game.directory)).toEqual(good)
      game.expectNothingTaken()
    }
  },
)

test('a journal next to the lock, which could name files to delete, is neither read nor removed', async () => {
  const game = await installed()
  // The first bytes of a rollback journal of SQLite.
  const journal = Buffer.concat([Buffer.from('d9d505f920a163d7', 'hex'), Buffer.alloc(600, 1)])
  writeFileSync(game.at('.download-lock-journal'), journal)
  expect(await game.install()).toBe('done')
  expect(readFileSync(game.at('.download-lock-journal'))).toEqual(journal)
})

test('a missing executable bit of a file with a second name is fixed by a copy, and the other name keeps its mode', async () => {
  const game = await installed()
  const other = join(game.outside, '..', `${game.outside.split('/').at(-1)}-other`)
  onTestFinished(() => rmSync(other, { force: true }))
  chmodSync(game.at('lib/game.so'), 0o600)
  linkSync(game.at('lib/game.so'), other)
  expect(await game.install()).toBe('done')
  expect(statSync(other).mode & 0o777).toBe(0o600)
  expect(statSync(game.at('lib/game.so')).mode & 0o777).toBe(0o755)
})

/** Repeatedly replaces folders with links to the folder outside and back, as fast as possible. */
const racer = `
  const { renameSync, symlinkSync, unlinkSync, mkdirSync } = require('node:fs')
  const [directory, outside] = process.argv.slice(2)
  process.on('disconnect', () => process.exit())
  process.send('ready')
  const folders = ['Content', 'Content/Maps', 'lib', '.steam-sdk', '.steam-sdk/linux64']
  const quietly = (action) => { try { action() } catch {} }
  const race = () => {
    for (const folder of folders) {
      const at = directory + '/' + folder
      quietly(() => renameSync(at, at + '.away'))
      quietly(() => symlinkSync(outside, at))
      quietly(() => unlinkSync(at))
      quietly(() => renameSync(at + '.away', at))
    }
    setImmediate(race)
  }
  race()
`

test('a folder that repeatedly becomes a link during downloads leads nothing outside', async () => {
  const game = await installed()
  const script = join(dirname(game.directory), `${game.directory.split('/').at(-1)}-racer.cjs`)
  writeFileSync(script, racer)
  const child = fork(script, [game.directory, game.outside], { execArgv: [] })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(script)
  })
  await new Promise((resolve) => child.once('message', resolve))
  const outcomes = new Set<string>()
  for (let round = 0; round < 15; round++) {
    for (const path of ['Content/Maps/Town.xnb', 'lib/game.so', '.steam-sdk/linux64/steamclient.so']) {
      rmSync(game.at(path), { force: true })
    }
    outcomes.add(await game.verify())
    outcomes.add(await game.install())
  }
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
  game.expectNothingTaken()
  for (const outcome of outcomes) expect(['done', 'conflict', 'storage']).toContain(outcome)
  expect(existsSync(game.directory)).toBe(true)
})

test('a folder that becomes a link between two chunks of a file: the download ends, and nothing outside is written', async () => {
  const game = await installed()
  const good = tree(game.directory)
  const maps = game.at('Content/Maps')
  const moved = game.at('moved')
  rmSync(join(maps, 'Town.xnb'))
  let first: string | undefined
  game.cdn.knobs.fault = ({ kind, path }) => {
    if (kind !== 'chunk' || existsSync(moved)) return undefined
    first ??= path
    // No other chunk arrives before the first is written.
    if (!existsSync(game.at(partialPath('Content/Maps/Town.xnb'))))
      return path === first ? undefined : { do: 'corrupt' }
    renameSync(maps, moved)
    symlinkSync(game.outside, maps)
    return undefined
  }
  expect(await game.install()).toBe('conflict')
  expect(existsSync(moved)).toBe(true)
  game.expectNothingTaken()
  game.cdn.knobs.fault = () => undefined
  rmSync(maps)
  rmSync(moved, { recursive: true })
  expect(await game.install()).toBe('done')
  expect(tree(game.directory)).toEqual(good)
})
