/** What farmgate does not start: a real mount without write access, and the watchdog of a game that has crashed. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { databaseFile } from '../../../services/records/database.ts'
import { ended } from '../../contract/client/host-calls.ts'
import { cloverSave, hostedGame, key } from '../../game-server/hosted-game.ts'
import { pointedTo, pointTo } from '../../game-server/saved-game.ts'
import { canRun } from '../../left-out.ts'
import { programs } from '../../programs.ts'
import { aReceiver } from '../../services/webhooks/a-receiver.ts'
import { eventually } from '../../wait.ts'
import { listening, serving } from './farmgate-process.ts'
import { mounting, mountProblem, readOnly } from './mounting.ts'

test.runIf(canRun('saves that are mounted read-only', mountProblem))(
  'where the saves are mounted read-only, a pointer that could be repaired holds the start back, and the sentence says how',
  async () => {
    const { env, savesDir, game, asked } = await hostedGame()
    const { url } = await listening(mounting(readOnly, savesDir, process.execPath, programs.serve), env)
    const farm = connect({ url, key })
    await eventually(async () => expect((await farm.status()).farmName).toBe('Clover'))
    pointTo(savesDir, 'EM_123456789')
    const { operation } = await farm.restartGame({ warnMinutes: [], backup: false })
    expect(await ended(farm, operation)).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(
        /not started.* would create a new farm.*EM_123456789.* means Clover_123456789: set SAVES_ACCESS=rw/,
      ),
    })
    expect([asked, pointedTo(savesDir), game.played()?.folder]).toEqual([[], 'EM_123456789', cloverSave])
  },
)

test('a game that has crashed with a pointer to nothing is not started by the watchdog, which reports it once, also over a restart of farmgate', async () => {
  const { env, savesDir, game, asked } = await hostedGame()
  const receiver = await aReceiver()
  const variables = {
    ...env,
    GAME_WATCHDOG: 'restart',
    GAME_WATCHDOG_SECONDS: '10',
    WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
  }
  const open = async () => {
    const farmgate = await serving(variables)
    return { ...farmgate, farm: connect({ url: farmgate.url, key }) }
  }
  const first = await open()
  await first.farm.createWebhook({
    name: 'w',
    url: receiver.url,
    events: ['game.wrong_farm'],
    format: 'standard',
  })
  await eventually(async () => expect((await first.farm.status()).farmName).toBe('Clover'))
  // It looks at the farm that is played.
  await first.farm.makeBackup()
  // And the watchdog at the process: one that was never seen to run has not crashed.
  const db = new DatabaseSync(join(env.DATA_DIR, databaseFile), { readOnly: true })
  onTestFinished(() => db.close())
  const shouldRun = db.prepare("SELECT value FROM numbers WHERE name = 'gameShouldRun' AND value = 1")
  await eventually(() => shouldRun.get() !== undefined)
  await game.stop()
  pointTo(savesDir, 'Gone_5')
  const wrong = { kind: 'pointer', expected: { name: 'Clover' }, found: { name: 'Gone', number: '5' } }
  await eventually(async () => expect((await first.farm.saves()).unexpected).toMatchObject(wrong))
  await eventually(() => expect(receiver.received).toHaveLength(1))
  first.signal('SIGKILL')
  await first.exited

  const second = await open()
  await second.said(/the watchdog does not start the game/)
  expect((await second.farm.saves()).unexpected).toMatchObject(wrong)
  expect(asked).toEqual([])

  const { operation } = await second.farm.chooseSave({ name: cloverSave, warnMinutes: [], backup: false })
  expect(await ended(second.farm, operation ?? expect.fail('no operation'))).toMatchObject({
    state: 'succeeded',
  })
  expect([asked, pointedTo(savesDir), game.played()?.folder]).toEqual([['start'], cloverSave, cloverSave])
  expect(await second.farm.saves()).not.toHaveProperty('unexpected')
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'game.wrong_farm', data: wrong },
  ])
}, 300_000)
