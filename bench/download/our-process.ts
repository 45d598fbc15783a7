import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { install } from '../../ticket/depot/install.ts'
import { keepAll } from '../../ticket/depot/plan/filter.ts'
import { verify } from '../../ticket/depot/verify.ts'
import { type Place, placeContext } from './place.ts'

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
const context = placeContext(place)
const request = { appId: 413150, directory: place.directory, filter: keepAll, onPlan: () => undefined }
// The threads are ready before the clock starts: they are in a process that runs.
await context.workers.run<'check'>({ do: 'check', files: [] })
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const started = performance.now()
const changed =
  command === 'verify'
    ? (await verify(request, context)).differences.length
    : (await install(request, context)).changed
const seconds = (performance.now() - started) / 1000
delay.disable()
const result: OurRun = {
  seconds,
  changed,
  stall: delay.max / 1e6,
  memory: mostMemory(),
}
await context.close()
process.stdout.write(JSON.stringify(result))

/** Not `getrusage`: after a fork that one begins with what the parent held. */
function mostMemory(): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))
  return Number(line?.[1] ?? 0) / 1000
}
