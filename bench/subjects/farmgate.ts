/** The control API on the simulated farm, with all checks on and high rate limits. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { serveSubject } from '../measure.ts'
import { measuredServer, steeredFarm } from '../measured-server.ts'

const [key = ''] = process.argv.slice(2)
const farm = steeredFarm()
const server = await measuredServer(farm, key)
const delay = monitorEventLoopDelay({ resolution: 1 })
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
  },
  /** Longest block of the event loop since `watchLoop`, milliseconds; includes the sampling interval of 1 ms. */
  longestBlock: () => delay.max / 1e6,
})
