/** The series of the farm's process, its link and its calls of the game. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FarmLink } from '../../bridges/linked/farm-end/dial.ts'
import { Histogram, type Registry } from '../../lib/prom-client.ts'
import { counter, gauge } from '../../lib/series.ts'

/** The answer times of a game server; register them when there is a registry. */
export const gameAnswers = () =>
  new Histogram({
    name: 'farmgate_game_answer_duration_seconds',
    help: 'With a game server: from a call of its API to its answer, or until the call failed',
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 15],
    registers: [],
  })

export function measureLink(registry: Registry, link: Pick<FarmLink, 'isOpen' | 'openings'>): void {
  gauge(registry, 'farmgate_link_up', 'With EDGE_URL: 1 while the link to the edge is open', () =>
    link.isOpen ? 1 : 0,
  )
  counter(
    registry,
    'farmgate_link_openings_total',
    'With EDGE_URL: how often the link to the edge has opened',
    () => link.openings,
  )
}

/** Milliseconds between two looks at the event loop. */
const resolution = 20
/** Milliseconds in which all farms of the process get the same reading of the event loop, of which there is one. */
const oneReading = 10_000

let eventLoopDelay: (() => number) | undefined

/** @returns reads the 99th percentile of the event loop's delay, in seconds */
function watchEventLoop(): () => number {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  let read = { at: Number.NEGATIVE_INFINITY, seconds: 0 }
  return () => {
    const now = performance.now()
    if (now - read.at < oneReading) return read.seconds
    read = { at: now, seconds: Math.max(0, delay.percentile(99) / 1e9 - resolution / 1000) }
    delay.reset()
    return read.seconds
  }
}

export function measureProcess(registry: Registry): void {
  eventLoopDelay ??= watchEventLoop()
  gauge(
    registry,
    'farmgate_event_loop_delay_seconds',
    'Delay of the event loop since the last reading (at most one in 10 s), 99th percentile',
    eventLoopDelay,
  )
  gauge(registry, 'farmgate_resident_memory_bytes', 'Resident memory of the process', () =>
    process.memoryUsage.rss(),
  )
}
