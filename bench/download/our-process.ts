import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Progress, silent } from '../../ticket/depot/progress.ts'
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
  /** Share of the chunks' time in which each thread used a processor, from 0 to 1; the busiest first. */
  readonly busy: readonly number[]
}

const [command = '', text = ''] = process.argv.slice(2)
const place: Place = JSON.parse(text)
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const usage = threadUsage()
const started = performance.now()
const { reports, wrong } = await runDepot(command === 'verify' ? 'verify' : 'install', {
  settings: placeSettings(place),
  platform: placePlatform(place),
  progress: usage.progress,
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
  busy: usage.shares(),
}
process.stdout.write(JSON.stringify(result))

/** Maximum of resident memory, MB. Not from `getrusage`, whose maximum after a fork starts with the parent's memory. */
function maxMemory(): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))
  return Number(line?.[1] ?? 0) / 1000
}

/** Reads the processor time of all threads from the first chunk to the end of the last phase, ten times a second. */
function threadUsage(): { readonly progress: Progress; shares(): number[] } {
  const first = new Map<string, number>()
  const last = new Map<string, number>()
  let from = 0
  let to = 0
  let timer: NodeJS.Timeout | undefined
  const read = () => {
    for (const thread of readdirSync('/proc/self/task')) {
      const [, fields = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')
      const [user, system] = fields.split(' ').slice(11, 13).map(Number)
      last.set(thread, ((user ?? 0) + (system ?? 0)) * 10)
      if (!first.has(thread)) first.set(thread, last.get(thread) ?? 0)
    }
    to = performance.now()
  }
  return {
    progress: {
      ...silent,
      phase(phase) {
        // The SDK is downloaded before the game.
        if (phase !== 'downloading') return
        first.clear()
        from = performance.now()
        read()
        clearInterval(timer)
        timer = setInterval(read, 100)
      },
      end() {
        clearInterval(timer)
      },
    },
    shares: () =>
      [...last]
        .map(([thread, time]) => (time - (first.get(thread) ?? 0)) / (to - from))
        .sort((a, b) => b - a),
  }
}
