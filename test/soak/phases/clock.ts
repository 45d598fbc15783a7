/** A wall clock that jumps, by hours and by years, forwards and back. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Row } from '../../../bench/measure.ts'
import { lineRows, settled, startCrowd } from '../crowd.ts'
import { startFarmgateWithGame } from '../farmgate-with-game.ts'
import { measure } from '../holder.ts'
import { none, type Phase } from '../phase.ts'

const hour = 3_600_000
const jumps = [hour, -hour, -24 * hour, 24 * hour, 3650 * 24 * hour, -2 * 3650 * 24 * hour, 3650 * 24 * hour]
const clients = 50

async function run(seconds: number): Promise<readonly Row[]> {
  const { key, game, farmgate } = await startFarmgateWithGame(
    {
      RATE_LIMIT_READS: '6000',
      RATE_LIMIT_ANONYMOUS: '0',
    },
    new URL('../subjects/jumping-clock.ts', import.meta.url),
  )
  const crowd = await startCrowd(farmgate.wsUrl, key, clients)
  try {
    const failures: Record<string, number> = {}
    const end = performance.now() + seconds * 1000
    let made = 0
    while (performance.now() < end || made < jumps.length) {
      farmgate.send(jumps[made % jumps.length] ?? 0)
      made += 1
      for (let line = 0; line < 5; line += 1) await game.call('say', `line ${made}.${line}`)
      await crowd.call('cut', 2, made)
      const measured = await measure(farmgate.url, key, 0.3)
      for (const [kind, count] of Object.entries(measured.failures))
        failures[kind] = (failures[kind] ?? 0) + count
      await pause(200)
    }
    return [
      { what: 'jumps of the clock', measured: String(made) },
      none('requests that failed', failures),
      ...lineRows(await settled(crowd, clients)),
      none('errors in the log', { errors: farmgate.errors.length }),
    ]
  } finally {
    for (const subject of [crowd, game]) await subject.stop()
    await farmgate.kill()
  }
}

export const clockPhase: Phase = { name: 'clock', title: 'A clock that jumps', share: 1, run }
