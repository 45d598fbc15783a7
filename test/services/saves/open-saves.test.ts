/** The saves of a farm: hostile folders, archives, disks, and the choice of one at the game's console. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadSave, saveName } from '../../../bridges/simulated/save-files.ts'
import { FarmError, farmgateCannot } from '../../../handlers/farm-error.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { Host } from '../../../handlers/host.ts'
import { systemClock } from '../../../lib/clock.ts'
import { lockFile } from '../../../lib/file-lock.ts'
import { wrongEntry } from '../../../lib/shared-folder/access.ts'
import { errorsApart } from '../../../services/archives/apart-errors.ts'
import { noHost } from '../../../services/host/no-host.ts'
import { importCalls } from '../../../services/saves/import-calls.ts'
import type { SavesParts } from '../../../services/saves/open-saves.ts'
import { type CraftedEntry, craftedZip } from '../../backups/crafted-zip.ts'
import { clover, rightFarmOf, savedFarm, savesOf } from '../../backups/saved-farm.ts'
import { well } from '../../backups/well-game.ts'
import { zippedSave } from '../../backups/zipped-save.ts'
import { pointedTo, pointTo } from '../../game-server/saved-game.ts'
import { beforeEachCall } from '../../lib/shared-folder/exchanged.ts'
import { inMemory, newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { noResources } from '../host/no-resources.ts'
import { farmMods } from '../mods/farm-mods.ts'

const thistle = {
  ...clover,
  farmName: 'Thistle',
  farmId: 987_654_321,
  date: { season: 'fall', day: 2, year: 3 },
} as const

/** A game that plays Clover, and loads what its console names. */
function setting(more: Partial<SavesParts> = {}, prints?: readonly string[]) {
  const saved = savedFarm()
  onTestFinished(() => saved.remove())
  saved.save()
  const state = {
    ...{ players: 0, isOnline: true, isSaving: false, isStale: false, typed: [] as string[] },
    /** Names of farmhands, with the accounts that the import has bound them to. */
    bound: new Map<string, string>(),
    bindsTo: undefined as string | undefined,
  }
  let played = loadSave(saved.saves, saveName(clover))
  const game = {
    health: () => ({ ...well, ...(state.isStale && { isStale: true as const }) }),
    status: async (): Promise<Status> => ({
      ...neverSeen,
      farmName: played?.farmName ?? '',
      ...played?.date,
      isOnline: state.isOnline,
      dayTransitionComplete: !state.isSaving,
      lastUpdated: new Date(Date.now() + 1).toISOString(),
    }),
    players: async () => ({
      players: Array.from({ length: state.players }, (_, at) => ({
        id: BigInt(at),
        name: 'a',
        isOnline: true,
      })),
      version: 1,
    }),
    farmhands: async () => ({
      farmhands: [...state.bound].map(([name, id]) => ({
        ...{ id: 5n, name, isCustomized: true, account: { platform: 'steam' as const, id } },
      })),
      version: 1,
    }),
  }
  const host: Pick<Host, 'host' | 'typeLine' | 'beginOperation'> = {
    beginOperation: noHost.beginOperation,
    host: async () => ({
      driver: 'docker',
      state: 'running',
      restartsToday: 0,
      can: { console: true, log: true },
      watchdog: { mode: 'off', restartsThisHour: 0 },
      resources: noResources,
      operation: null,
    }),
    async typeLine(line) {
      state.typed.push(line)
      const [, name = '', swapTo] =
        /^saves import "?([^"]+?)"?(?: --swap-host-to ([0-9]+))? --reload$/.exec(line) ?? []
      if (swapTo !== undefined) state.bound.set('Robin', state.bindsTo ?? swapTo)
      if (prints === undefined) played = loadSave(saved.saves, name)
      return prints ?? [`Imported '${name}' as-is. Reloading to apply…`]
    },
  }
  // Each call comes a second after the one before.
  const seconds = Array.from({ length: 1000 }, (_, at) => at * 1000).values()
  const clock = { ...systemClock, monotonic: () => seconds.next().value ?? 0 }
  const open = (again: Partial<SavesParts> = {}) => savesOf(saved, game, host, { clock, ...more, ...again })
  return { saved, state, game, host, open, saves: open(), uploads: join(saved.folder, '..', 'uploads') }
}

async function* inPieces(content: Uint8Array) {
  for (let at = 0; at < content.length; at += 1000) yield content.subarray(at, at + 1000)
}
const add = ({ saves }: ReturnType<typeof setting>, content: Uint8Array, isDryRun = false) =>
  saves.uploadSave(inPieces(content), { isDryRun })
const failure = (kind: string, more: object = {}) =>
  expect.objectContaining({ failure: expect.objectContaining({ kind, ...more }) })
const names = (saves: readonly { readonly name: string }[]) => saves.map(({ name }) => name)

test('without SAVES_DIR every call names it', async () => {
  const { saves } = setting({ savesDir: undefined })
  const named = failure('unsupported', { what: expect.stringContaining('Set SAVES_DIR') })
  await expect(saves.saves()).rejects.toEqual(named)
  await expect(saves.uploadSave(inPieces(Buffer.from('x')), { isDryRun: true })).rejects.toEqual(named)
  await expect(saves.chooseSave('Clover_123456789')).rejects.toEqual(named)
})

test('callers at one time and within a second share one look at the saves; an upload is listed at once', async () => {
  let looks = 0
  const mods = {
    async mods(): Promise<never> {
      looks += 1
      throw farmgateCannot('list mods')
    },
  }
  let milliseconds = 0
  const own = setting({ mods, clock: { ...systemClock, monotonic: () => milliseconds } })
  const list = async () => (await own.saves.saves()).length
  expect(await Promise.all(Array.from({ length: 50 }, list))).toEqual(Array(50).fill(1))
  milliseconds = 999
  expect([await list(), looks]).toEqual([1, 1])
  milliseconds = 1000
  expect([await list(), looks]).toEqual([1, 2])
  await add(own, await zippedSave(thistle))
  expect([await list(), looks]).toEqual([2, 3])
})

test('a farm without a save has an empty list', async () => {
  const { saved, saves } = setting()
  rmSync(saved.saves, { recursive: true })
  expect(await saves.saves()).toEqual([])
})

test('what a hostile game puts next to the saves is not listed, not followed and not waited for', async () => {
  const { saved, saves } = setting()
  const at = (path: string) => join(saved.saves, path)
  symlinkSync('/etc', at('Linked_1'))
  symlinkSync(at('Clover_123456789'), at('Linked_2'))
  mkdirSync(at('Pipe_1'))
  for (const file of ['Pipe_1', 'SaveGameInfo']) execFileSync('mkfifo', [at(`Pipe_1/${file}`)])
  mkdirSync(at('Links_1'))
  for (const file of ['Links_1', 'SaveGameInfo']) symlinkSync('/dev/zero', at(`Links_1/${file}`))
  mkdirSync(at('Huge_1'))
  writeFileSync(at('Huge_1/Huge_1'), '<SaveGame>')
  writeFileSync(at('Huge_1/SaveGameInfo'), Buffer.alloc(5_000_000, ' '))
  mkdirSync(at('.farmgate-import-1'))
  writeFileSync(at('plain file'), '')
  expect(names(await saves.saves())).toEqual(['Clover_123456789'])
})

test('the active save has the mods that the game has loaded, where that is known', async () => {
  const folder = farmMods()
  onTestFinished(folder.remove)
  folder.put('One', { id: 'A.One' })
  folder.put('Off', { id: 'A.Off' }, 'off')
  folder.put('Broken', '{')
  let startedAt = Date.now() + 60_000
  const { saved, saves } = setting({ mods: folder.open({ startedAt: async () => startedAt }).port })
  saved.save(thistle)
  const shown = async () => (await saves.saves()).map(({ name, mods }) => [name, mods])
  const thistles = ['Thistle_987654321', undefined]
  expect(await shown()).toEqual([['Clover_123456789', ['One']], thistles])
  // Before the mods were put in.
  startedAt = 1000
  expect(await shown()).toEqual([['Clover_123456789', undefined], thistles])
  startedAt = Date.now() + 60_000
  rmSync(folder.dir, { recursive: true })
  expect(await shown()).toEqual([['Clover_123456789', undefined], thistles])
})

test('uploads may be on another disk than the saves', async () => {
  const farm = setting({ folder: newFolder(inMemory) })
  expect(await add(farm, await zippedSave(thistle))).toMatchObject({ name: 'Thistle_987654321' })
})

test('a save whose larger file is torn is listed with what its SaveGameInfo says', async () => {
  const { saved, saves } = setting()
  writeFileSync(join(saved.saves, 'Clover_123456789', 'Clover_123456789'), '<SaveGame><pl')
  expect(await saves.saves()).toMatchObject([{ farmName: 'Clover', ...clover.date, people: ['Server'] }])
})

test('the list shows what the game has saved since', async () => {
  const { saved, saves } = setting()
  const [before] = await saves.saves()
  saved.save({ date: { season: 'summer', day: 6, year: 1 }, farmhands: ['Abby', 'Robin & Lewis', 'Leah'] })
  const [after] = await saves.saves()
  expect([before?.day, after?.day]).toEqual([5, 6])
  expect(after?.people).toEqual(['Server', 'Abby', 'Robin & Lewis', 'Leah'])
})

const hostile: readonly [string, readonly CraftedEntry[]][] = [
  ['no save', [{ name: 'readme.txt', content: 'x' }]],
  [
    'a torn save',
    [
      { name: 'Thistle_1/SaveGameInfo', content: '<Farmer>' },
      { name: 'Thistle_1/Thistle_1', content: '<SaveGame>' },
    ],
  ],
]

test.each(hostile)('an archive with %s is refused, and nothing is left of it', async (_what, entries) => {
  const farm = setting()
  for (const isDryRun of [true, false])
    await expect(add(farm, craftedZip(entries), isDryRun)).rejects.toEqual(failure('archive_refused'))
  expect(readdirSync(farm.saved.saves)).toEqual(['Clover_123456789'])
  expect(readdirSync(farm.uploads)).toEqual([])
})

test('a link that the game plants while an upload is unpacked is named, and not blamed on the archive', async () => {
  const { saved } = setting()
  const { savesDir, saves } = saved
  const from = join(saved.folder, '..', 'upload.zip')
  writeFileSync(from, await zippedSave(thistle))
  const end = beforeEachCall((_count, call, path) => {
    if (call === 'mkdir' && path.endsWith('/Thistle_987654321'))
      symlinkSync('/nowhere', join(saves, '.staging', 'save', 'Thistle_987654321'))
  })
  onTestFinished(end)
  mkdirSync(join(saves, '.staging'))
  const brought = importCalls.bring({ from }, { top: savesDir, folder: join(saves, '.staging') })
  const error = await brought.catch((reason: unknown) => reason)
  const message = 'in Saves, "Thistle_987654321" is a link or a file where a folder must be'
  expect(wrongEntry(error, 'Saves')).toBe(message)
  const { errorOf, messageOf } = errorsApart()
  expect(wrongEntry(errorOf(structuredClone(messageOf(error))), 'Saves')).toBe(message)
})

test('an upload stops before it uses the reserve of free space', async () => {
  const farm = setting({ room: async () => 10_000_000 })
  await expect(add(farm, await zippedSave(thistle))).rejects.toEqual(failure('disk_low'))
  expect(readdirSync(farm.uploads)).toEqual([])
})

test('uploads of a killed process are removed at the next start', () => {
  const { uploads, open } = setting()
  mkdirSync(uploads)
  writeFileSync(join(uploads, 'left'), 'x')
  open()
  expect(() => readdirSync(uploads)).toThrow('ENOENT')
})

test('an upload during a restore or an import of another process is saves_locked', async () => {
  const farm = setting()
  const folder = await open(farm.saved.savesDir)
  onTestFinished(() => folder.close())
  expect(lockFile(folder.fd)).not.toBe('held')
  await expect(add(farm, await zippedSave(thistle))).rejects.toEqual(failure('saves_locked'))
})

test('the game loads a chosen save through its console, and is then the active one', async () => {
  const { saved, saves, state } = setting()
  saved.save(thistle)
  expect(await saves.chooseSave('Thistle_987654321')).toEqual({
    message: 'The game plays Thistle, fall 2, year 3',
    output: ["Imported 'Thistle_987654321' as-is. Reloading to apply…"],
  })
  expect(state.typed).toEqual(['saves import Thistle_987654321 --reload'])
  expect((await saves.saves())[0]).toMatchObject({ name: 'Thistle_987654321', active: true })
})

describe('a save that a person has hosted', () => {
  const robins = { ...thistle, host: 'Robin' }
  const id = '76561198385195600'
  const swapped = `saves import Thistle_987654321 --swap-host-to ${id} --reload`

  test('is listed with its host, as are those of the server', async () => {
    const { saved, saves } = setting()
    saved.save(robins)
    saved.save({ ...clover, farmName: 'Imposter', farmId: 7, host: 'server' })
    expect((await saves.saves()).map(({ farmName, host }) => [farmName, host])).toEqual([
      ['Clover', { name: 'Server', isServer: true }],
      ['Imposter', { name: 'server', isServer: false }],
      ['Thistle', { name: 'Robin', isServer: false }],
    ])
  })

  test('is not chosen until the call says who plays that farmer', async () => {
    const { saved, saves, state } = setting()
    saved.save(robins)
    await expect(saves.chooseSave('Thistle_987654321')).rejects.toEqual(
      failure('host_undecided', { host: { name: 'Robin', isServer: false } }),
    )
    expect(state.typed).toEqual([])
  })

  test('stays with its person, a farmhand of that account, after a backup', async () => {
    const { saved, open, state } = setting()
    saved.save(robins)
    const backedUp: string[] = []
    const saves = open({ backUp: async (_dir, name) => void backedUp.push(`${name} ${state.typed.length}`) })
    await expect(saves.chooseSave('Thistle_987654321', id)).resolves.toMatchObject({
      message: 'The game plays Thistle, fall 2, year 3',
    })
    expect([state.typed, backedUp]).toEqual([[swapped], ['Thistle_987654321 0']])
  })

  test('whose host does not become a farmhand of the account is refused with the line that binds them', async () => {
    const { saved, open, state } = setting()
    saved.save(robins)
    state.bindsTo = '1'
    let now = 0
    const saves = open({
      clock: { ...systemClock, now: () => (now += 5000), after: (_ms, run) => systemClock.after(0, run) },
    })
    await expect(saves.chooseSave('Thistle_987654321', id)).rejects.toEqual(
      failure('save_refused', { sentence: expect.stringContaining(`farmhand rebind Robin ${id}`) }),
    )
  })

  test('is taken over by the server only when asked for', async () => {
    const { saved, saves, state } = setting()
    saved.save(robins)
    await saves.chooseSave('Thistle_987654321', 'server')
    expect(state.typed).toEqual(['saves import Thistle_987654321 --reload'])
  })

  test("takes no account where the host is the server's own", async () => {
    const { saved, saves, state } = setting()
    saved.save(thistle)
    await expect(saves.chooseSave('Thistle_987654321', id)).rejects.toEqual(
      failure('invalid_argument', { parameter: 'hostTo', sentence: expect.any(String) }),
    )
    expect(state.typed).toEqual([])
  })

  test.each([
    [id, swapped],
    ['server', 'saves import Thistle_987654321 --reload'],
  ])('without a console is the line to type, with hostTo=%s', async (hostTo, line) => {
    const { saved, open } = setting()
    saved.save(robins)
    const saves = open({
      host: noHost,
    })
    expect(await saves.chooseSave('Thistle_987654321', hostTo)).toEqual({ line })
  })
})

test('a choice that does not load ends after a minute, and holds no upload up meanwhile', async () => {
  const farm = setting({}, ['Imported'])
  farm.saved.save({ ...clover, farmName: 'Daisy', farmId: 3 })
  let now = Date.now()
  const saves = farm.open({
    clock: {
      ...systemClock,
      now: () => now,
      after: (_ms, run) =>
        systemClock.after(1, () => {
          now += 500
          run()
        }),
    },
  })
  const began = now
  const chosen = saves.chooseSave('Daisy_3').catch((error: unknown) => error)
  await eventually(() => farm.state.typed.length === 1)
  expect(await add({ ...farm, saves }, await zippedSave(thistle))).toMatchObject({
    name: 'Thistle_987654321',
  })
  expect(await chosen).toEqual(failure('timeout', { write: true }))
  expect(now - began).toBeGreaterThanOrEqual(60_000)
  expect(now - began).toBeLessThan(62_000)
})

test('without a console the answer is the line to type', async () => {
  const { saved, open, state } = setting()
  saved.save(thistle)
  const saves = open({
    host: noHost,
  })
  expect(await saves.chooseSave('Thistle_987654321')).toEqual({
    line: 'saves import Thistle_987654321 --reload',
  })
  expect(state.typed).toEqual([])
})

test('without a console but with write access the pointer is written: the next start loads the save', async () => {
  const { saved, open } = setting()
  saved.save(thistle)
  saved.save({ ...thistle, farmName: 'Oak', farmId: 7, host: 'Robin' })
  pointTo(saved.savesDir, 'Clover_123456789')
  const saves = open({
    host: noHost,
  })
  expect(await saves.chooseSave('Thistle_987654321')).toEqual({
    message: 'The next start of the game loads Thistle',
    output: [],
  })
  expect(pointedTo(saved.savesDir)).toBe('Thistle_987654321')
  expect(await saves.nextSave()).toMatchObject({ state: 'ok', save: 'Thistle_987654321' })
  // Of a save that a person has hosted, the pointer alone is never used.
  expect(await saves.chooseSave('Oak_7', 'server')).toEqual({ line: 'saves import Oak_7 --reload' })
  expect(pointedTo(saved.savesDir)).toBe('Thistle_987654321')
})

test('a pointer that farmgate could repair but may not write makes the next start create a new farm', async () => {
  const { saved, saves } = setting()
  pointTo(saved.savesDir, 'EM_123456789')
  expect(await saves.nextSave()).toMatchObject({ state: 'repairable', save: 'Clover_123456789' })
  onTestFinished(
    beforeEachCall((_count, call, path) => {
      if (call === 'access' && realpathSync(path).endsWith('/junimohost.server')) throw new Error('EROFS')
    }),
  )
  expect(await saves.nextSave()).toEqual({ state: 'missing', name: 'EM_123456789' })
})

test('nothing is typed while a player is connected or the game saves', async () => {
  const { saved, saves, state } = setting()
  saved.save(thistle)
  state.players = 2
  await expect(saves.chooseSave('Thistle_987654321')).rejects.toEqual(
    failure('players_connected', { count: 2 }),
  )
  state.players = 0
  state.isSaving = true
  await expect(saves.chooseSave('Thistle_987654321')).rejects.toEqual(failure('save_in_progress'))
  expect(state.typed).toEqual([])
})

test('what the console says against the save is the answer', async () => {
  const { saved, saves } = setting({}, ['Refusing to reload while 1 player(s) are connected: Abby.'])
  saved.save(thistle)
  await expect(saves.chooseSave('Thistle_987654321')).rejects.toEqual(
    failure('save_refused', { sentence: expect.stringContaining('Refusing to reload') }),
  )
})

test('a game at its title loads the save at its next start', async () => {
  const { saved, saves, state } = setting()
  saved.save(thistle)
  state.isOnline = false
  expect(await saves.chooseSave('Thistle_987654321')).toMatchObject({
    message: expect.stringContaining('at its next start'),
  })
})

test.each([
  ['Thistle --force-reload_1', 'saves import "Thistle --force-reload_1" --reload'],
  ['Thistle" --force-reload_1', undefined],
  ['--reload_1', undefined],
])('a save of the name %s cannot add a word to the line', async (name, line) => {
  const { saved, saves, state } = setting()
  saved.save(thistle, name)
  await saves.chooseSave(name).catch((error: unknown) => {
    expect(error).toBeInstanceOf(FarmError)
  })
  expect(state.typed).toEqual(line === undefined ? [] : [line])
})

describe('the farm that the game is expected to play', () => {
  /** The game plays Clover, which is expected. */
  async function expecting(prints?: readonly string[]) {
    const own = setting({}, prints)
    const rightFarm = rightFarmOf(own.saved.savesDir, own.game)
    await rightFarm.tick()
    const saves = own.open({ rightFarm })
    own.saved.save(thistle)
    return { ...own, rightFarm, saves }
  }
  const mark = { name: 'Thistle', number: '987654321', ...thistle.date }

  test('is the chosen one, which is not reported, also when it ends an alarm', async () => {
    const { saves, rightFarm } = await expecting()
    await saves.expectSave(saveName(thistle))
    expect(await saves.unexpected()).toMatchObject({ kind: 'other_farm', expected: mark })
    await saves.chooseSave(saveName(thistle))
    await rightFarm.tick()
    expect([await saves.unexpected(), await rightFarm.expected()]).toEqual([undefined, mark])
  })

  test('stays as it was when the game refuses the chosen one', async () => {
    const { saves, rightFarm } = await expecting(['Save not found'])
    await expect(saves.chooseSave(saveName(thistle))).rejects.toEqual(failure('save_refused'))
    expect(await rightFarm.expected()).toMatchObject({ number: '123456789' })
  })

  test('is an added one from the time on that the game plays it', async () => {
    const { saved, saves, host, rightFarm } = await expecting()
    rmSync(join(saved.saves, saveName(thistle)), { recursive: true })
    await saves.uploadSave(inPieces(await zippedSave(thistle)), { isDryRun: false })
    expect(await rightFarm.expected()).toMatchObject({ number: '123456789' })
    await host.typeLine(`saves import ${saveName(thistle)} --reload`)
    await rightFarm.tick()
    expect([await saves.unexpected(), await rightFarm.expected()]).toEqual([undefined, mark])
  })
})
