/** Operations on a host in memory, with the real tables of the records. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { GameHost } from '../../../handlers/game-host.ts'
import type { HostOperation, HostRequest } from '../../../handlers/host-record.ts'
import { textCleaner } from '../../../services/host/clean-text.ts'
import type { HostParts } from '../../../services/host/open-host.ts'
import type { StoredOperation } from '../../../services/records/host-table.ts'
import type { OwnRecords } from '../../../services/records/own-records.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { noBackups } from '../../records/no-backups.ts'
import { eventually } from '../../wait.ts'
import { aGame } from './a-game.ts'
import { farmHost } from './farm-host.ts'
import { type PlainDriver, plainDriver } from './plain-driver.ts'

const by = { id: 'api_key', name: 'API_KEY' }
const atOnce: HostRequest = { when: 'now', warnMinutes: [], backup: true, force: false }

interface Given
  extends Partial<Pick<HostParts, 'backups' | 'hasBackups' | 'notify' | 'restarted' | 'clean'>> {
  readonly records?: OwnRecords
  readonly driver?: PlainDriver
  readonly game?: ReturnType<typeof aGame>
}

function opened({
  records = memoryOwnRecords(),
  driver = plainDriver(),
  game = aGame(),
  ...given
}: Given = {}) {
  const host = farmHost({ driver, game: game.game, backups: noBackups, records, ...given })
  onTestFinished(() => host.close())
  const { port } = host
  const ended = (id: string): Promise<HostOperation> =>
    eventually(async () => {
      const found = (await port.operations()).find((one) => one.id === id)
      expect(found?.endedAt).toEqual(expect.any(String))
      return found ?? expect.fail('no such operation')
    })
  const runs = async (action: 'start' | 'stop' | 'restart', request: Partial<HostRequest> = {}) =>
    ended((await port.beginOperation(action, { ...atOnce, ...request }, by)).id)
  return { ...host, port, records, driver, game, ended, runs }
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => (error instanceof FarmError ? error.failure : expect.fail(String(error))),
  )

test('a restart stops the game with 60 s of grace, starts it, and is in the records with each of its steps', async () => {
  const { runs, driver, port, game } = opened()
  const operation = await runs('restart', { reason: 'New mods' })
  expect(driver.asked).toEqual(['stop 60', 'start'])
  expect(operation).toMatchObject({ state: 'succeeded', by, reason: 'New mods', when: 'now' })
  expect(operation.steps.map(({ state }) => state)).toEqual(['stopping', 'starting', 'checking', 'succeeded'])
  expect(await port.host()).toMatchObject({ state: 'running', restartsToday: 1, operation: null })
  expect(game.said).toEqual([])
})

test('a second operation is 409 with the running one; the wrong state of the game is 409 too', async () => {
  const { port, runs } = opened()
  const operation = await port.beginOperation('stop', { ...atOnce, when: 'night' }, by)
  expect(await failureOf(port.beginOperation('restart', atOnce, by))).toEqual({
    kind: 'operation_running',
    operation,
  })
  await port.cancelOperation(operation.id)
  expect(await failureOf(port.beginOperation('start', atOnce, by))).toEqual({ kind: 'already_running' })
  await runs('stop')
  expect(await failureOf(port.beginOperation('stop', atOnce, by))).toEqual({ kind: 'not_running' })
  expect(await failureOf(port.beginOperation('restart', atOnce, by))).toEqual({ kind: 'not_running' })
})

test('of many simultaneous operations one starts', async () => {
  const { port } = opened()
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, () => port.beginOperation('restart', { ...atOnce, when: 'night' }, by)),
  )
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a host that does not answer is unknown, and refuses operations', async () => {
  const { port, driver } = opened()
  driver.instead.inspect = () =>
    Promise.reject(new FarmError({ kind: 'host_unavailable', sentence: 'No engine' }))
  expect(await port.host()).toMatchObject({ state: 'unknown' })
  expect(await failureOf(port.beginOperation('stop', atOnce, by))).toEqual({
    kind: 'host_unavailable',
    sentence: 'No engine',
  })
})

describe('a cancellation', () => {
  test('is too late once the game is being stopped, and for an ended operation', async () => {
    const { port, driver, runs, ended } = opened()
    const { promise, resolve } = Promise.withResolvers<void>()
    driver.instead.stop = async () => {
      await promise
      throw new FarmError({ kind: 'host_unavailable', sentence: 'No answer' })
    }
    const { id } = await port.beginOperation('stop', atOnce, by)
    expect(await failureOf(port.cancelOperation(id))).toEqual({ kind: 'too_late' })
    resolve()
    expect(await ended(id)).toMatchObject({ state: 'failed', error: 'No answer' })
    delete driver.instead.stop
    const stopped = await runs('stop')
    expect(await failureOf(port.cancelOperation(stopped.id))).toEqual({ kind: 'too_late' })
    expect(await port.cancelOperation('unknown')).toBeUndefined()
  })

  test('withdraws the warning to the players', async () => {
    const { port, game, driver } = opened()
    game.players = 2
    const request = { ...atOnce, warnMinutes: [5], reason: 'New mods' }
    const { id } = await port.beginOperation('restart', request, by)
    await eventually(() => expect(game.said).toEqual(['The server restarts in 5 minutes: New mods']))
    expect(await port.cancelOperation(id)).toMatchObject({ state: 'cancelled' })
    expect(game.said.at(-1)).toBe('The server restart is cancelled')
    expect(driver.asked).toEqual([])
  })
})

describe('the backup before a stop', () => {
  test('is made where backups are set up, and its failure leaves the game running', async () => {
    let made = 0
    const backups = {
      makeBackup: () => {
        made += 1
        return Promise.reject(new FarmError({ kind: 'disk_low' }))
      },
    }
    const { runs, driver } = opened({ backups, hasBackups: true })
    expect(await runs('restart')).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^No backup was made, so the game was not stopped: /),
    })
    expect([made, driver.asked]).toEqual([1, []])
    expect(await runs('restart', { backup: false })).toMatchObject({ state: 'succeeded' })
    expect(await runs('restart', { force: true })).toMatchObject({ state: 'succeeded' })
    expect(made).toBe(2)
  })

  test('does not prevent the stop when there is no save yet', async () => {
    const { runs } = opened({ hasBackups: true })
    expect(await runs('stop')).toMatchObject({ state: 'succeeded' })
  })
})

test('a game that hangs in a night is not stopped, and one that hangs by day is', async () => {
  const { port, game, driver, runs } = opened()
  game.isSaving = true
  await port.host()
  await eventually(async () => {
    const { id } = await port.beginOperation('stop', atOnce, by)
    await port.cancelOperation(id)
  })
  game.answers = false
  const { id, state } = await port.beginOperation('stop', atOnce, by)
  expect([state, driver.asked]).toEqual(['saving', []])
  await port.cancelOperation(id)
  Object.assign(game, { answers: true, isSaving: false })
  await port.cancelOperation((await port.beginOperation('stop', { ...atOnce, when: 'night' }, by)).id)
  game.answers = false
  expect(await runs('stop')).toMatchObject({ state: 'succeeded' })
})

test('a game whose snapshot stands still is saving: JunimoServer shows its evening in the night', async () => {
  const { port, game, driver, ended } = opened()
  game.isStale = true
  const { id, state } = await port.beginOperation('stop', atOnce, by)
  expect([state, driver.asked]).toEqual(['saving', []])
  game.isStale = false
  expect(await ended(id)).toMatchObject({ state: 'succeeded' })
})

test('a failed operation has the last 20 lines of the log, cleaned', async () => {
  const { driver, runs } = opened({ clean: textCleaner(['canary-secret']) })
  for (let line = 0; line < 30; line += 1) driver.print(`line ${line} \u001b[31mcanary-secret`)
  driver.instead.start = () =>
    Promise.reject(new FarmError({ kind: 'host_unavailable', sentence: 'No image' }))
  const { state, error, lines = [] } = await runs('restart')
  expect([state, error, lines.length]).toEqual(['failed', 'No image', 20])
  expect(lines[0]).toEqual({ text: 'line 10 …' })
})

test('a successful restart is reported to webhooks and metrics, with its caller', async () => {
  const reported: unknown[] = []
  const { port, ended } = opened({
    notify: (event, data) => void reported.push([event, data]),
    restarted: (who) => void reported.push(who),
  })
  const askers = [{ id: 'api_key' }, { id: 'maker', isSchedule: true as const }, { id: 'watchdog' }]
  for (const asker of askers)
    await ended((await port.beginOperation('restart', atOnce, { name: `Name of ${asker.id}`, ...asker })).id)
  expect(reported).toEqual([
    'key',
    ['game.restarted', { by: 'Name of api_key' }],
    'schedule',
    ['game.restarted', { by: 'Name of maker' }],
    'watchdog',
    ['game.restarted', { by: 'Name of watchdog' }],
  ])
})

test('the last 50 operations are listed, newest first', async () => {
  const { port } = opened()
  const ids: string[] = []
  for (let count = 0; count < 53; count += 1) {
    const { id } = await port.beginOperation('stop', { ...atOnce, when: 'night' }, by)
    await port.cancelOperation(id)
    ids.unshift(id)
  }
  const listed = (await port.operations()).map(({ id }) => id)
  expect(listed).toEqual(ids.slice(0, 50))
})

test('no operation stops the game when the records cannot be written', async () => {
  const records = memoryOwnRecords()
  const calls: OwnRecords['calls'] = {
    ...records.calls,
    hostOperations: records.calls.hostOperations,
    putHostOperation: () => Promise.reject(new FarmError({ kind: 'unavailable' })),
  }
  const { port, driver } = opened({ records: { ...records, calls } })
  expect(await failureOf(port.beginOperation('stop', atOnce, by))).toEqual({ kind: 'unavailable' })
  expect(driver.asked).toEqual([])
})

describe('after farmgate ended during an operation', () => {
  const at = Date.parse('2026-11-21T12:00:00.000Z')
  const interrupted = (
    action: HostOperation['action'],
    state: HostOperation['state'],
    run?: string,
  ): StoredOperation => ({
    at,
    ...(run !== undefined && { run }),
    operation: {
      id: 'one',
      action,
      state,
      when: 'now',
      requestedAt: new Date(at).toISOString(),
      by,
      steps: [{ state, at: new Date(at).toISOString() }],
    },
  })
  const reopened = async (stored: StoredOperation, driver: PlainDriver, answers = true) => {
    const records = memoryOwnRecords()
    await records.calls.putHostOperation(stored)
    const game = aGame()
    game.answers = answers
    const host = opened({ records, driver, game })
    return { ...host, operation: await host.ended('one') }
  }
  const gone = () => {
    const driver = plainDriver()
    driver.become('stopped')
    return driver
  }
  const runs = (given: Partial<GameHost> = {}) => plainDriver(given)

  test.each([
    ['stop', 'waiting', runs, 'failed'],
    ['restart', 'warning', runs, 'failed'],
    ['restart', 'saving', runs, 'failed'],
    ['stop', 'backing_up', runs, 'failed'],
    ['stop', 'stopping', gone, 'succeeded'],
    ['stop', 'stopping', runs, 'failed'],
    ['restart', 'stopping', gone, 'failed'],
    ['restart', 'starting', gone, 'failed'],
    ['restart', 'starting', runs, 'succeeded'],
    ['restart', 'checking', runs, 'succeeded'],
    ['start', 'starting', gone, 'failed'],
    ['start', 'checking', runs, 'succeeded'],
  ] as const)(
    'a %s in the state %s with a game of %o ends with the true outcome',
    async (action, state, make, end) => {
      const driver = make()
      const { operation } = await reopened(interrupted(action, state), driver)
      expect(operation).toMatchObject({ state: end })
      if (end === 'failed') expect(operation.error).toMatch(/^farmgate ended /)
      expect(driver.asked).toEqual([])
    },
  )

  test('a restart that had begun to stop the game succeeded only if another process runs', async () => {
    const driver = plainDriver()
    const { run } = await driver.inspect()
    expect((await reopened(interrupted('restart', 'stopping', run), driver)).operation.state).toBe('failed')
    expect((await reopened(interrupted('restart', 'stopping', 'older'), driver)).operation.state).toBe(
      'succeeded',
    )
  })

  test('a stop succeeded also when the host answers only some time later', async () => {
    const driver = gone()
    let looks = 0
    driver.instead.inspect = () => {
      looks += 1
      if (looks > 1) delete driver.instead.inspect
      return Promise.reject(new FarmError({ kind: 'host_unavailable', sentence: 'not yet' }))
    }
    expect((await reopened(interrupted('stop', 'stopping'), driver)).operation.state).toBe('succeeded')
  })
})

describe('the log', () => {
  test('has at most 2,000 lines and 256 KiB, the newest', async () => {
    const { driver, port } = opened()
    for (let line = 0; line < 3000; line += 1) driver.print(`line ${line}`)
    const lines = await port.hostLog(5000)
    expect([lines.length, lines.at(-1)?.text]).toEqual([2000, 'line 2999'])
    for (let line = 0; line < 200; line += 1) driver.print('x'.repeat(4000))
    const bytes = (await port.hostLog(2000)).reduce((sum, { text }) => sum + text.length, 0)
    expect(bytes).toBeLessThanOrEqual(256 * 1024)
    expect(bytes).toBeGreaterThan(250 * 1024)
  })

  test('is read only while someone follows it', () => {
    const following = { count: 0 }
    const driver = plainDriver({
      follow() {
        following.count += 1
        return () => {
          following.count -= 1
        }
      },
    })
    const { port } = opened({ driver })
    const first = port.hearLog(() => undefined)
    const second = port.hearLog(() => undefined)
    expect(following.count).toBe(1)
    first()
    second()
    expect(following.count).toBe(0)
  })

  test('of a console has the output of the second after a line was typed, cleaned', async () => {
    const { port } = opened({ clean: textCleaner(['hunter2-hunter2']) })
    expect(await port.typeLine('!login hunter2-hunter2')).toEqual(['> !login …'])
  })
})
