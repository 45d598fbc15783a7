import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { silent } from '../../ticket/depot/progress.ts'
import { runDepot } from '../../ticket/depot/thread/run.ts'
import { type Place, placePlatform, placeSettings } from './place.ts'

/** What one run of ours came to. */
export interface OurRun {
  readonly seconds: number
  /** Longest stall of the main thread, milliseconds. */
  readonly stall: number
  /** Most memory the process ever held, MB. */
  readonly memory: number
  readonly changed: number
}

const [command = '', text = ''] = process.argv.slice(2)
const place: Place = JSON.parse(text)
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const started = performance.now()
const { reports, wrong } = await runDepot(command === 'verify' ? 'verify' : 'install', {
  settings: placeSettings(place),
  platform: placePlatform(place),
  progress: silent,
  signal: new AbortController().signal,
})
const seconds = (performance.now() - started) / 1000
delay.disable()
// An install counts its own time: the threads are ready then, as those of the others are.
const game = { seconds, changed: wrong, ...reports.at(-1)?.json }
const result: OurRun = {
  seconds: game.seconds,
  changed: game.changed,
  stall: delay.max / 1e6,
  memory: mostMemory(),
}
process.stdout.write(JSON.stringify(result))

/** Not `getrusage`: after a fork that one begins with what the parent held. */
function mostMemory(): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))
  return Number(line?.[1] ?? 0) / 1000
}
