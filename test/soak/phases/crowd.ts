/** 2,000 chat clients, of which 1 % do not read, 200 pollers, and storms of reconnects. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Row, startSubject } from '../../../bench/measure.ts'
import { lineRows, settled, startCrowd } from '../crowd.ts'
import { startFarmgateWithGame } from '../farmgate-with-game.ts'
import { atMost, megabyte, none, type Phase } from '../phase.ts'

const clients = 2000
const pollers = 200
const linesPerSecond = 5
/** Seconds between two storms, in each of which a fifth of the clients loses its connection. */
const stormEvery = 5
/**
 * Seconds after which stalled clients read their pending lines, before those leave the resume window of 1,000 lines.
 */
const stallFor = 60

async function run(seconds: number): Promise<readonly Row[]> {
  const { key, game, farmgate } = await startFarmgateWithGame({
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
    RATE_LIMIT_ANONYMOUS: '0',
    WS_MAX_CLIENTS: '5000',
  })
  const polling = await startSubject(new URL('../subjects/pollers.ts', import.meta.url), farmgate.url, key)
  const crowd = await startCrowd(farmgate.wsUrl, key, clients, clients / 100)
  try {
    await polling.call('poll', pollers, 1000)
    await pause(3000)
    const memory: number[] = []
    for (let turn = 0; turn < seconds * linesPerSecond; turn += 1) {
      await game.call('say', `line ${turn}`)
      const second = turn / linesPerSecond
      if (turn % linesPerSecond === 0) memory.push(farmgate.memory() / megabyte)
      if (turn > 0 && second % stormEvery === 0) await crowd.call('cut', 5, second / stormEvery)
      if (turn > 0 && second % stallFor === 0) await crowd.call('resume')
      await pause(1000 / linesPerSecond)
    }
    await polling.call('stop')
    const report = await settled(crowd, clients)
    const { '200': right = 0, ...others } = await polling.call<Record<string, number>>('outcomes')
    const half = memory.slice(Math.floor(memory.length / 2))
    return [
      ...lineRows(report),
      { what: 'answers to pollers', measured: String(right) },
      none('answers to pollers that were not 200', others),
      atMost('memory grew in the second half', (half.at(-1) ?? 0) - (half[0] ?? 0), 64, ' MB', 1),
      { what: 'slope of memory in the second half', measured: `${slope(half).toFixed(2)} MB a minute` },
      none('errors in the log', { errors: farmgate.errors.length }),
    ]
  } finally {
    for (const subject of [crowd, polling, game]) await subject.stop()
    await farmgate.kill()
  }
}

/** Least squares, per minute. @param values one for each second */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const up = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  const across = values.reduce((sum, _value, at) => sum + (at - middle) ** 2, 0)
  return across === 0 ? 0 : (up / across) * 60
}

export const crowdPhase: Phase = { name: 'crowd', title: 'A crowd', share: 5, run }
