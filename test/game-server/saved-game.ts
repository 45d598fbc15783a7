/**
 * The stand-in game server with a disk, a console and a process: what JunimoServer does with saves, its two faults
 * included. `start` and `stop` are the process: the pointer and the settings for new worlds are read when it starts.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type GameSave, savingSteps } from '../../bridges/simulated/save-files.ts'
import { type GameServerOptions, startGameServer } from './game-server.ts'
import { savedWorld } from './saved-world.ts'
import type { NewWorld } from './world.ts'

export interface SavedGameOptions extends GameServerOptions {
  /** `SAVES_DIR` */
  readonly savesDir: string
  /** `server-settings.json`, with the settings for new worlds. */
  readonly settingsPath?: string
  /** Milliseconds without accepting connections after which the game ends; two minutes at the real one. */
  readonly endsAfter?: number
}

export const pointerPath = (savesDir: string) =>
  join(savesDir, '.smapi/mod-data/junimohost.server/junimohost.gameloader.json')

/** Writes the pointer, as JunimoServer does. */
export function pointTo(savesDir: string, name: string | null): void {
  mkdirSync(dirname(pointerPath(savesDir)), { recursive: true })
  writeFileSync(pointerPath(savesDir), JSON.stringify({ SaveNameToLoad: name }))
}

export const pointedTo = (savesDir: string): string | null | undefined =>
  existsSync(pointerPath(savesDir))
    ? JSON.parse(readFileSync(pointerPath(savesDir), 'utf8') || 'null')?.SaveNameToLoad
    : undefined

/** A game whose process runs. */
export async function startSavedGame(options: SavedGameOptions) {
  const { savesDir, settingsPath, endsAfter = 120_000 } = options
  const saves = join(savesDir, 'Saves')
  const game = await startGameServer(options)
  const { world } = game
  const printed: string[] = []
  const state = { isRunning: false, starts: 0, accepts: true, exitCode: undefined as number | undefined }
  const print = (line: string) => void printed.push(line)
  /** In memory from the start of the process on. */
  let pointer: string | undefined
  let played: { readonly save: GameSave; readonly folder: string } | undefined
  /** The part of a folder's name before the number, of the last loaded world; a process keeps it. */
  let nameBefore: string | undefined
  let newWorlds: NewWorld = {}
  let ending: NodeJS.Timeout | undefined

  const point = (name: string) => {
    pointer = name
    pointTo(savesDir, name)
  }
  const show = (save: GameSave) => {
    const { farmName, date } = save
    Object.assign(world, { farmName, ...date, timeOfDay: 600, isLoaded: true })
    world.publish()
  }
  const exists = (name: string | undefined): name is string =>
    name !== undefined && existsSync(join(saves, name))

  const importer = {
    pending: new Set<string>(),
    saves,
    printed: print,
    isLoaded: (name: string) => played?.folder === name,
    exists,
  }

  function load(name: string): void {
    const save = savedWorld(saves, name)
    // A load that throws is only logged: the game stays at its title.
    if (save === undefined) {
      print(`[ERROR JunimoServer] Failed to load save '${name}'`)
      return
    }
    importer.pending.delete(name)
    played = { save, folder: name }
    nameBefore = name.slice(0, name.lastIndexOf('_'))
    world.farmhands = []
    save.farmhands.forEach((one, at) => void world.addFarmhand(one, BigInt(save.farmId) * 1000n + BigInt(at)))
    show(save)
    print(`[INFO JunimoServer] Loaded save '${name}'`)
  }

  /** Fault 1: the folder has the name of the world before. Fault 2: its farmhands stay. */
  function create({ farmName = 'Junimo' }: NewWorld): void {
    const farmId = 300_000_000 + state.starts * 1000 + readdirSync(saves).length + world.newGames.length
    const before = played?.save.farmhands ?? []
    const date = { season: 'spring', day: 1, year: 1 } as const
    const save = { farmName, farmId, date, host: 'Server', farmhands: before, gameVersion: '1.6.15' }
    const own = farmName.replaceAll(/[^\p{L}\p{N}]/gu, '')
    nameBefore ??= own
    played = { save, folder: `${nameBefore}_${farmId}` }
    point(`${own}_${farmId}`)
    show(save)
    print(`[INFO JunimoServer] Created new game '${farmName}'`)
  }

  const choose = () => (exists(pointer) ? load(pointer) : create(newWorlds))
  world.onReload = choose
  world.onNewGame = create

  /** The game thread has died, or Steam is unreachable: the process ends when it lasts. */
  const look = () => {
    clearTimeout(ending)
    if (!state.accepts)
      ending = setTimeout(() => {
        print(`[ERROR JunimoServer] Not accepting connections for ${endsAfter / 1000} s, exiting`)
        void stop(1)
      }, endsAfter)
  }

  async function start(): Promise<void> {
    mkdirSync(saves, { recursive: true })
    if (state.starts > 0) await game.up()
    Object.assign(state, { isRunning: true, accepts: true, exitCode: undefined })
    state.starts += 1
    played = undefined
    nameBefore = undefined
    world.farmhands = []
    world.isLoaded = false
    pointer = pointedTo(savesDir) ?? undefined
    newWorlds = worldsIn(settingsPath)
    if (pointer !== '') choose()
  }

  async function stop(exitCode = 0): Promise<void> {
    clearTimeout(ending)
    Object.assign(state, { isRunning: false, exitCode })
    await game.down()
  }

  /** A day is saved, and the next one begins. */
  function night(): void {
    if (played === undefined) return
    const { save, folder } = played
    const date = { ...save.date, day: save.date.day + 1 }
    played = { folder, save: { ...save, date } }
    for (const { run } of savingSteps(saves, played.save, folder)) run()
    show(played.save)
  }

  await start()
  return {
    ...game,
    /** The game's log, with what the console prints. */
    printed,
    process: state,
    start,
    stop,
    night,
    /** Ends everything, for the end of a test. */
    end: async () => {
      await stop()
      await game.stop()
    },
    acceptConnections(accepts: boolean) {
      state.accepts = accepts
      look()
    },
    /** What the game plays: its save's name and content. */
    played: () => played,
    /** Types a line at the console. @returns what is printed */
    type(line: string): readonly string[] {
      const from = printed.length
      print(`> ${line}`)
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
      const [command, action, name = '', ...flags] = words
      if (command !== 'saves') print(`Unknown command '${command}'`)
      else if (action === 'reload') choose()
      else if (action !== 'import') print('Usage: saves [info <n>|import <n>|reload]')
      else if (importSave(importer, name, flags)) {
        point(name)
        if (flags.includes('--reload') || flags.includes('--force-reload')) load(name)
      }
      return printed.slice(from)
    },
  }
}

function worldsIn(settingsPath: string | undefined): NewWorld {
  if (settingsPath === undefined || !existsSync(settingsPath)) return {}
  const farmName = JSON.parse(readFileSync(settingsPath, 'utf8')).Game?.FarmName
  return { ...(typeof farmName === 'string' && { farmName }) }
}

interface Importer {
  /** Saves whose host was swapped, and that were not loaded since. */
  readonly pending: Set<string>
  readonly saves: string
  readonly printed: (line: string) => void
  readonly isLoaded: (name: string) => boolean
  readonly exists: (name: string) => boolean
}

/** As-is the save's own player becomes the server's host; with a swap a farmhand of the account. @returns whether it is done */
function importSave(
  { pending, saves, printed, isLoaded, exists }: Importer,
  name: string,
  flags: string[],
): boolean {
  const save = exists(name) ? savedWorld(saves, name) : undefined
  const swap = flags.indexOf('--swap-host-to')
  const account = swap < 0 ? undefined : flags[swap + 1]
  const refuse = (why: string) => {
    printed(why)
    return false
  }
  if (save === undefined) return refuse(`Save '${name}' not found`)
  if (isLoaded(name)) return refuse(`Refusing to reload: '${name}' is the loaded save`)
  if (swap < 0 && pending.has(name)) return refuse(`The import of '${name}' did not complete: reload first`)
  if (swap < 0) printed(`Imported '${name}' as-is.`)
  else if (account === undefined || !/^[0-9]{1,20}$/.test(account))
    return refuse('Usage: saves import <name> [--swap-host-to <id>] [--reload]')
  else {
    const swapped = { ...save, host: 'Server', farmhands: [...save.farmhands, save.host] }
    for (const { run } of savingSteps(saves, swapped, name)) run()
    const uid = String(BigInt(save.farmId) * 1000n + BigInt(save.farmhands.length))
    const owner = { Platform: account.startsWith('7656') ? 'steam' : 'galaxy', Id: account, Origin: 'import' }
    pending.add(name)
    writeFileSync(
      join(saves, name, 'farmhand-ownership.json'),
      JSON.stringify({ Farmhands: { [uid]: owner } }),
    )
    printed(`Imported '${name}': '${save.host}' is now a farmhand of ${account}.`)
  }
  return true
}
