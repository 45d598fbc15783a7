/** The promises of every driver of the game's host, tested with a real process. */

import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { type GameHost, isGone } from '../../../handlers/game-host.ts'
import { systemClock } from '../../../lib/clock.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { noBackups } from '../../records/no-backups.ts'
import { eventually, pause } from '../../wait.ts'
import { aGame } from './a-game.ts'
import { farmHost } from './farm-host.ts'
import { order } from './orders.ts'

export interface HostedGame {
  readonly host: GameHost
  /** Another driver of the same game, as after a restart of farmgate. */
  another(): GameHost
  /** The folder in which the game takes orders. */
  readonly folder: string
  /** Sends SIGKILL to the game, as a system without memory does. */
  kill(): Promise<unknown>
  close(): Promise<void>
}

/** The abilities of a driver of this kind of host. */
export interface Abilities {
  readonly console: boolean
  /** Whether the host reports how a process ended. */
  readonly exitCodes: boolean
  /** Whether the host reports when a line was printed. */
  readonly times: boolean
  /** Whether the host kills a game that does not end; true unless given. */
  readonly kills?: boolean
}

export const driverParts = { clock: systemClock, log: pino({ level: 'silent' }), env: process.env }

/** The kind of a failure. */
export const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    (error: unknown) => (error instanceof FarmError ? error.failure.kind : `not a FarmError: ${error}`),
  )

/**
 * Tests a driver. @param open makes a game that has not been started
 * @param of `log` for a game that differs only in its output and console from one with which the whole driver is tested
 */
export function drivesGames(
  open: () => Promise<HostedGame>,
  abilities: Abilities,
  of: 'game' | 'log' = 'game',
): void {
  let game: HostedGame
  let host: GameHost
  beforeAll(async () => {
    game = await open()
    host = game.host
  })
  afterAll(() => game?.close())

  const orders = (what: string) => order(game.folder, what)
  const reaches = (state: string) =>
    eventually(async () => {
      const now = await host.inspect()
      expect(now.state).toBe(state)
      return now
    })
  const texts = async (lines = 2000) => (await host.log(lines)).map(({ text }) => text)
  const prints = async (text: string) => {
    await orders(`print ${text}`)
    await eventually(async () => expect(await texts()).toContain(text))
  }
  /** Follows until the test ends. @returns the received lines, and a function that waits for a line */
  const follow = async () => {
    const heard: string[] = []
    const stop = host.follow(({ text }) => heard.push(text))
    const hears = (text: string) => eventually(() => expect(heard).toContain(text))
    // It follows once it receives the first of these.
    const mark = `followed ${Math.random()}`
    await eventually(async () => {
      await orders(`print ${mark}`)
      await pause(50)
      expect(heard).toContain(mark)
    })
    return { heard, stop, hears, ofMark: () => heard.filter((text) => text !== mark) }
  }

  if (of === 'game') {
    test('a game that never ran is stopped, and stopping it changes nothing', async () => {
      expect((await host.inspect()).state).toBe('stopped')
      await host.stop(1)
      expect((await host.inspect()).state).toBe('stopped')
    })

    test('a started game is running since its start, and starting it again changes nothing', async () => {
      await host.start()
      const { since, run } = await reaches('running')
      await orders('print here')
      await host.start()
      expect(await host.inspect()).toMatchObject({ state: 'running', ...(run !== undefined && { run }) })
      if (since !== undefined) expect(Math.abs(Date.now() - since)).toBeLessThan(60_000)
    })
  }

  // From here on each test starts with a running game.
  beforeEach(async ({ task }) => {
    if (task.name.startsWith('a game that never ran') || task.name.startsWith('a started game')) return
    await host.start()
    await reaches('running')
    await orders('print begun')
  })

  test('the log has the last lines, oldest first, of both outputs', async () => {
    // The two outputs are read separately, so their order is that of their arrival.
    await prints('one')
    await orders('printError two')
    await eventually(async () => expect(await texts()).toContain('two'))
    await prints('three')
    const all = await texts()
    expect(all.filter((text) => ['one', 'two', 'three'].includes(text))).toEqual(['one', 'two', 'three'])
    expect(await texts(2)).toEqual(all.slice(-2))
    if (abilities.times)
      for (const { at = '' } of await host.log(3))
        expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000)
  })

  test('bytes that are not UTF-8, colours, and a line in two halves arrive as lines', async () => {
    const { heard, stop, hears } = await follow()
    await orders(`printBytes ${Buffer.from([0x61, 0xff, 0x62, 0x0a]).toString('base64')}`)
    await orders(`printBytes ${Buffer.from('\u001b[31mred\u001b[0m\nhalf').toString('base64')}`)
    await orders('print  a line')
    await hears('half a line')
    expect(heard).toContain('a\ufffdb')
    expect(heard).toContain('\u001b[31mred\u001b[0m')
    stop()
  })

  test('a follower receives each line once and in order, over stops and starts of the game', async () => {
    await prints('before')
    const { heard, stop, hears, ofMark } = await follow()
    for (const run of ['first', 'second']) {
      for (const line of [1, 2, 3]) await orders(`print ${run} ${line}`)
      await hears(`${run} 3`)
      await host.stop(10)
      await reaches('stopped')
      await host.start()
      await reaches('running')
    }
    await orders('print last')
    await hears('last')
    expect(heard).not.toContain('before')
    expect(ofMark().filter((text) => /^(first|second|last|the game)/.test(text))).toEqual([
      ...['first 1', 'first 2', 'first 3', 'the game ends', 'the game is ready'],
      ...['second 1', 'second 2', 'second 3', 'the game ends', 'the game is ready'],
      'last',
    ])
    stop()
    await prints('after')
    expect(heard).not.toContain('after')
  })

  test('3 MB of log are received whole and in order', async () => {
    const { heard, stop, hears } = await follow()
    const count = 30_000
    await orders(`printMany ${count}`)
    await hears(`line ${count - 1} ${'x'.repeat(88)}`)
    const numbers = heard.flatMap((text) => /^line (\d+) x{88}$/.exec(text)?.[1] ?? [])
    const wrong = numbers.findIndex((number, at) => Number(number) !== at)
    expect({ count: numbers.length, wrong }).toEqual({ count, wrong: -1 })
    stop()
  })

  test(
    abilities.console ? 'lines that are typed at the console reach the game' : 'there is no console',
    async () => {
      expect(host.can).toEqual({ console: abilities.console, log: true })
      if (!abilities.console) return expect(await failureOf(host.type('help'))).toBe('unsupported')
      const { stop, hears } = await follow()
      for (const line of ['help', 'say "Grüße" $HOME; rm -rf *']) {
        await host.type(line)
        await hears(`typed: ${line}`)
      }
      stop()
      await host.stop(10)
      expect(await failureOf(host.type('help'))).toBe('not_running')
    },
  )

  if (of === 'log') return
  test('a game that can end has stopped when the call returns', async () => {
    await host.stop(30)
    expect((await host.inspect()).state).toBe('stopped')
    expect((await texts()).at(-1)).toBe('the game ends')
    await host.stop(30)
  })

  test('a game that does not end is killed after the grace, and that is not a crash', async () => {
    await orders('beDeaf')
    if (abilities.kills === false) {
      expect(await failureOf(host.stop(1))).toBe('host_unavailable')
      await game.kill()
      await reaches('stopped')
      return
    }
    await host.stop(1)
    expect((await host.inspect()).state).toBe('stopped')
  })

  test.each<[string, boolean | undefined, 'notify' | 'off', string]>([
    ['that an operation has killed is stopped', false, 'notify', 'stopped'],
    ['that ended without an operation has crashed', true, 'notify', 'crashed'],
    ['that ended without an operation is stopped with GAME_WATCHDOG=off', undefined, 'off', 'stopped'],
  ])('also after a restart of farmgate, a game %s', async (_, shouldRun, mode, state) => {
    await host.start()
    await reaches('running')
    await game.kill()
    await eventually(async () => expect(isGone((await host.inspect()).state)).toBe(true))
    const after = farmHost({
      driver: game.another(),
      game: aGame().game,
      backups: noBackups,
      records: memoryOwnRecords(),
      shouldRun: async () => shouldRun,
      watchdog: () => ({ mode, restartsThisHour: 0 }),
    })
    try {
      expect((await after.port.host()).state).toBe(state)
    } finally {
      after.close()
    }
    await host.start()
    await reaches('running')
  })

  test('each start is another run', async () => {
    const before = await host.inspect()
    await host.stop(10)
    await host.start()
    const after = await reaches('running')
    if (before.run !== undefined) expect(after.run).not.toBe(before.run)
  })

  test.each([
    ['exit 0', 'stopped', 0],
    ['exit 3', 'crashed', 3],
    ['a SIGKILL', 'crashed', 137],
  ])('a game that ends by %s is %s', async (what, state, exitCode) => {
    await (what.startsWith('exit') ? orders(what) : game.kill())
    const ended = await reaches(abilities.exitCodes ? state : 'stopped')
    // A host might report nothing for a clean end.
    if (abilities.exitCodes) expect(ended.exitCode ?? 0).toBe(exitCode)
    await host.start()
    expect((await reaches('running')).exitCode).toBeUndefined()
  })
}
