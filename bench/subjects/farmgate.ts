/** The control API on the simulated farm, with all checks on and high rate limits. */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { serveSubject } from '../measure.ts'
import { measuredServer, steeredFarm } from '../measured-server.ts'

const [key = ''] = process.argv.slice(2)
const farm = steeredFarm()
const server = await measuredServer(farm, key)
const delay = monitorEventLoopDelay({ resolution: 1 })
let longestCollection = 0
const collections = new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longestCollection = Math.max(longestCollection, duration)
})
collections.observe({ entryTypes: ['gc'] })
const [speaker] = (await farm.players()).players
if (speaker === undefined) throw new Error('no player is online')
serveSubject({
  port: () => server.port,
  /** Says the text as so many lines. @returns when, milliseconds since 1970 with fractions */
  say: (text: string, lines: number) => {
    const at = performance.timeOrigin + performance.now()
    for (let line = 0; line < lines; line += 1) farm.controls.say(speaker.id, text)
    return at
  },
  watchLoop: () => {
    delay.enable()
    delay.reset()
    longestCollection = 0
  },
  /**
   * Longest block of the event loop since `watchLoop`, which includes the sampling interval of 1 ms, and the longest
   * garbage collection; milliseconds.
   */
  longestBlock: () => [delay.max / 1e6, longestCollection],
})
