/** A game server that stops and starts, with chat clients and a client that polls. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Row } from '../../../bench/measure.ts'
import { lineRows, settled, startCrowd, until } from '../crowd.ts'
import { startFarmgateWithGame } from '../farmgate-with-game.ts'
import { measure } from '../holder.ts'
import { none, type Phase } from '../phase.ts'

const clients = 200

async function run(seconds: number): Promise<readonly Row[]> {
  const { key, game, farmgate } = await startFarmgateWithGame({
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_ANONYMOUS: '0',
  })
  const crowd = await startCrowd(farmgate.wsUrl, key, clients)
  try {
    const measuring = measure(farmgate.url, key, seconds)
    const end = performance.now() + seconds * 1000
    for (let turn = 0; performance.now() < end; turn += 1) {
      await game.call('down')
      await pause(1500)
      await game.call('up')
      for (let line = 0; line < 10; line += 1) {
        await game.call('say', `line ${turn}.${line}`)
        await pause(200)
      }
    }
    const { failures } = await measuring
    const isBack = await until(
      async () => (await measure(farmgate.url, key, 0.1)).failures['503'] === undefined,
      15,
    )
    const { '503': offline = 0, '504': late = 0, ...others } = failures
    return [
      { what: 'answers 503 and 504 meanwhile', measured: `${offline}, ${late}` },
      none('other answers that were not 200', others),
      none('not served again within 15 s', { offline: isBack ? 0 : 1 }),
      ...lineRows(await settled(crowd, clients)),
      none('errors in the log', { errors: farmgate.errors.length }),
    ]
  } finally {
    for (const subject of [crowd, game]) await subject.stop()
    await farmgate.kill()
  }
}

export const gamePhase: Phase = { name: 'game', title: 'A game that comes and goes', share: 2, run }
