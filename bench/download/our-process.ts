import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { silent } from '../../ticket/depot/progress.ts'
import { runDepot } from '../../ticket/depot/thread/run.ts'
import { type Place, placePlatform, placeSettings } from './place.ts'

/** What one run of farmgate's download or verification measured. */
export interface OurRun {
  readonly seconds: number
  /** Longest stall of the main thread, milliseconds. */
  readonly stall: number
  /** Maximum of resident memory, MB. */
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
// An install measures its time itself, without the start of the threads, as the bare loop does.
const game = { seconds, changed: wrong, ...reports.at(-1)?.json }
const result: OurRun = {
  seconds: game.seconds,
  changed: game.changed,
  stall: delay.max / 1e6,
  memory: maxMemory(),
}
process.stdout.write(JSON.stringify(result))

/** Maximum of resident memory, MB. Not from `getrusage`, whose maximum after a fork starts with the parent's memory. */
function maxMemory(): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))
  return Number(line?.[1] ?? 0) / 1000
}
