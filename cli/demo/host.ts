/**
 * The host of the demo's game: it stops and starts the simulated farm, prints a log, and takes lines at its console, of
 * which `crash` and `hang` do so.
 */
import type { SimulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameHost, GameProcess } from '../../handlers/game-host.ts'
import type { LogLine } from '../../handlers/host-record.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import { pointedName } from '../../services/saves/pointed-name.ts'
import { pointTo } from '../../services/saves/pointer.ts'

/** Milliseconds that a stop and a start take. */
const takes = { stop: 1_000, start: 3_000 }
/** Lines of the log that are kept. */
const mostLines = 2_000
/** Bytes that the game uses, and may use. */
const [used, limit] = [900 * 1024 ** 2, 2 * 1024 ** 3]

/** @param saves `SAVES_DIR` */
export function demoHost(farm: () => SimulatedFarm, saves: string, clock: Clock): GameHost {
  const lines: LogLine[] = []
  const listeners = new Set<(line: LogLine) => void>()
  let process: GameProcess = { state: 'running', since: clock.now(), run: '1' }
  let runs = 1

  const print = (text: string) => {
    const line = { at: isoTime(clock.now()), text }
    lines.push(line)
    if (lines.length > mostLines) lines.shift()
    for (const heard of listeners) heard(line)
  }
  const become = (state: GameProcess['state'], more: Partial<GameProcess> = {}) => {
    process = { state, since: clock.now(), ...more }
  }
  const end = (state: 'stopped' | 'crashed', exitCode: number) => {
    farm().controls.disconnectAll()
    farm().controls.goOffline()
    become(state, { exitCode })
  }
  const isUp = () => process.state === 'running'

  /** What the game prints of its own. */
  function listen(): void {
    farm().subscribe((event) => {
      if (!isUp()) return
      if (event.type === 'player_joined') print(`[game] ${event.player.name} joined the farm`)
      else if (event.type === 'player_left') print(`[game] ${event.player.name} left the farm`)
      else if (event.type === 'day_started')
        print(`[game] Saved. It is ${event.season} ${event.day}, year ${event.year}`)
      else if (event.type === 'chat') print(`[chat] ${event.playerName}: ${event.message}`)
    })
    print('[server] The farm is loaded')
  }
  let isListening = false

  /** As JunimoServer: the save that its pointer names, or a new farm. */
  async function load(): Promise<void> {
    const pointed = await pointedName(saves)
    farm().controls.startAgain(
      typeof pointed === 'object' ? pointed.name : pointed === 'none' ? '' : undefined,
    )
    if (pointed === 'none') await pointTo(saves, farm().controls.saveName)
  }

  const commands: Readonly<Record<string, (...words: string[]) => unknown>> = {
    help: () => print('[console] help, players, saves, crash, hang'),
    async saves(action, name = '', ...flags) {
      const isKnown = action === 'import' && flags.every((flag) => flag === '--reload')
      if (!isKnown) print('[console] Usage: saves import <name> --reload')
      else if (farm().controls.play(name)) {
        await pointTo(saves, name)
        print(`[console] Imported '${name}' as-is.`)
      } else print(`[console] Save '${name}' not found`)
    },
    players: () =>
      void farm()
        .players()
        .then(({ players }) => print(`[console] ${players.map(({ name }) => name).join(', ') || 'no one'}`)),
    crash() {
      print('[server] Unhandled exception: System.OutOfMemoryException')
      end('crashed', 134)
    },
    hang() {
      print('[server] The main loop waits')
      farm().controls.freeze()
    },
  }

  return {
    driver: 'simulated',
    can: { console: true, log: true },
    async inspect() {
      if (!isListening) listen()
      isListening = true
      return process
    },
    usage: async () => (isUp() ? { coresNow: 0.2, memory: { used, limit } } : undefined),
    async start() {
      if (isUp()) return
      runs += 1
      become('starting', { run: String(runs) })
      print('[server] Starting')
      await sleep(clock, takes.start)
      await load()
      become('running', { run: String(runs) })
      print('[server] The farm is loaded')
    },
    async stop() {
      if (!isUp()) return
      print('[server] Stopping')
      become('stopping', { run: String(runs) })
      await sleep(clock, takes.stop)
      end('stopped', 0)
      print('[server] Stopped')
    },
    log: async (count) => lines.slice(-count),
    follow(heard) {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    async type(line) {
      if (!isUp()) throw new FarmError({ kind: 'not_running' })
      print(`> ${line}`)
      const [name = '', ...words] = wordsOf(line)
      if (Object.hasOwn(commands, name)) await commands[name]?.(...words)
      else print(`[console] Unknown command: ${name}. Type help.`)
    },
    close: () => listeners.clear(),
  }
}

/** Words with blanks are in quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
