/** The calls of the edge, at the edge: each has an id and a time limit, and ends exactly once. */

import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { edgeLimits } from '../../../bridges/linked/edge-limits.ts'
import { RpcClient } from '../../../bridges/linked/rpc-client.ts'
import { rpcServer } from '../../../bridges/linked/rpc-server.ts'
import { type ArgsOf, callsOf, type ResultOf } from '../../../handlers/ability.ts'
import { FarmError, type FarmFailure } from '../../../handlers/farm-error.ts'
import { type AbilityName, abilities, abilityNames } from '../../../handlers/game-abilities.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { newKey } from '../../../handlers/key-record.ts'
import { dispatchOf } from '../../edge/farm-dispatch.ts'
import { type LogLine, recorder, silent } from '../../logs.ts'
import { memoryRecords } from '../../records/memory-records.ts'
import { sampleCall } from '../contract/abilities.ts'
import { failureOf, person, unknownOutcome } from '../contract/expectations.ts'
import { manualClock } from '../manual-clock.ts'

/** A client whose frames the test reads. `isOpen` of the socket says whether they are sent. */
function client(firstId = 1) {
  const clock = manualClock()
  const sent: string[] = []
  const socket = { isOpen: true }
  const calls = new RpcClient(firstId, clock.after)
  const send = (text: string) => {
    if (socket.isOpen) sent.push(text)
    return socket.isOpen
  }
  /** Calls by their names. */
  const game = callsOf<GameBridge, AbilityName>(abilities, (name, args) =>
    calls.call<ArgsOf<GameBridge, typeof name>, ResultOf<GameBridge, typeof name>>(
      name,
      abilities[name],
      args,
      send,
    ),
  )
  return {
    calls,
    clock,
    sent,
    send,
    socket,
    game,
    frames: () => sent.map((text): unknown => JSON.parse(text)),
  }
}

const fps = (value: number) => JSON.stringify(value)

test('a call is sent with its method and arguments, ids with every digit, and each has the next id', () => {
  const { calls, send, sent } = client(7)
  void calls.call('grantAdmin', abilities.grantAdmin, [person(2n ** 63n - 1n)], send)
  void calls.call('players', abilities.players, [], send)
  expect(sent).toEqual([
    '{"type":"call","id":7,"method":"grantAdmin","args":[{"id":9223372036854775807,"label":"id=9223372036854775807"}]}',
    '{"type":"call","id":8,"method":"players","args":[]}',
  ])
  expect([calls.size, calls.isOurs(8), calls.isOurs(9)]).toEqual([2, true, false])
})

test('answers reach the calls of their ids, in any order', async () => {
  const { calls, send } = client()
  const first = calls.call('rendering', abilities.rendering, [], send)
  const second = calls.call('rendering', abilities.rendering, [], send)
  expect([calls.answered(2, fps(30)), calls.answered(1, fps(60))]).toEqual([true, true])
  expect([await first, await second, calls.size]).toEqual([60, 30, 0])
})

test('an answer without a second line is the result of a call without a result', async () => {
  const { calls, send } = client()
  const call = calls.call('setTime', abilities.setTime, [1200], send)
  calls.answered(1, undefined)
  expect(await call).toBeUndefined()
})

test('a failure of the game is the failure of the call', async () => {
  const { calls, send } = client()
  const failure: FarmFailure = { kind: 'farmhand_online', label: 'Abby', change: 'delete' }
  const call = failureOf(calls.call('deleteFarmhand', abilities.deleteFarmhand, [person(1n)], send))
  expect(calls.failed(1, failure)).toBe(true)
  expect([await call, calls.size]).toEqual([failure, 0])
})

describe('an answer that no call awaits is ignored', () => {
  test('because the call was answered before', async () => {
    const { calls, send } = client()
    const call = calls.call('rendering', abilities.rendering, [], send)
    calls.answered(1, fps(60))
    expect(calls.answered(1, fps(30))).toBe(false)
    expect(calls.failed(1, { kind: 'not_ready' })).toBe(false)
    expect(await call).toBe(60)
  })

  test('because there never was one', () => {
    const { calls } = client()
    expect([calls.answered(1, fps(60)), calls.failed(1, { kind: 'not_ready' })]).toEqual([false, false])
  })
})

describe('an answer that is not a result of the call', () => {
  const answers = ['{"players":"none"}', 'not JSON', '', undefined]

  test.each(answers)('ends a read as a bad response: %j', async (body) => {
    const { calls, send } = client()
    const call = failureOf(calls.call('players', abilities.players, [], send))
    calls.answered(1, body)
    const detail = 'players answered something else'
    expect(await call).toEqual({ kind: 'bad_response', detail, write: false })
  })

  test('ends a write as a bad response that says that it might have been made', async () => {
    const { calls, send } = client()
    const call = failureOf(calls.call('setTime', abilities.setTime, [1200], send))
    calls.answered(1, '1200')
    const detail = 'setTime answered something else'
    expect(await call).toEqual({ kind: 'bad_response', detail, write: true })
  })
})

describe('a repeated answer', () => {
  const players = '{"players":[],"version":1}'
  const twice = async (bodies: readonly [string, string]) => {
    const { calls, send } = client()
    const read = async (id: number, body: string) => {
      const call = calls.call('players', abilities.players, [], send)
      calls.answered(id, body)
      return call
    }
    return [await read(1, bodies[0]), await read(2, bodies[1])]
  }

  test('to a read is the same object again', async () => {
    const [first, second] = await twice([players, players])
    expect(second).toBe(first)
  })

  test('is a new object once the answer has changed', async () => {
    const [first, second] = await twice([players, '{"players":[],"version":2}'])
    expect([first, second]).toEqual([
      { players: [], version: 1 },
      { players: [], version: 2 },
    ])
  })

  test('to a write is a new object: an answer with a new key is not kept', async () => {
    const { calls, send } = client()
    const made = {
      id: 'abc',
      name: 'bot',
      scopes: ['read'],
      createdAt: '2026-11-21T12:00:00.000Z',
      key: 'fg_abc_secret',
    }
    const make = async (id: number) => {
      const call = calls.call('makeKey', { effect: 'write', budget: 1, result: newKey }, [], send)
      calls.answered(id, JSON.stringify(made))
      return call
    }
    const [first, second] = [await make(1), await make(2)]
    expect([first, second]).toEqual([made, made])
    expect(second).not.toBe(first)
  })

  test('to another method is read as the answer of that method', async () => {
    const { calls, send } = client()
    const asked = calls.call('players', abilities.players, [], send)
    calls.answered(1, players)
    await asked
    const other = failureOf(calls.call('cabins', abilities.cabins, [], send))
    calls.answered(2, players)
    expect((await other).kind).toBe('bad_response')
  })
})

describe('time', () => {
  test.each(abilityNames)('%s has its time budget and one second more for the link', async (name) => {
    const { calls, game, clock, frames } = client()
    const call = failureOf(sampleCall(game, name))
    clock.advance(abilities[name].budget + 999)
    expect([calls.size, frames().length]).toEqual([1, 1])
    clock.advance(1)
    expect([calls.size, frames()[1]]).toEqual([0, { type: 'cancel', id: 1 }])
    expect(await call).toEqual({ kind: 'timeout', write: abilities[name].effect === 'write' })
    expect(calls.answered(1, undefined)).toBe(false)
  })

  test('of an ended call is over: no cancel is sent', async () => {
    const { calls, send, clock, sent } = client()
    const call = calls.call('setTime', abilities.setTime, [1200], send)
    calls.answered(1, undefined)
    await call
    clock.advance(600_000)
    expect(sent).toHaveLength(1)
  })
})

describe('a call that was certainly not sent', () => {
  test('because the socket is closed is unavailable, a write too', async () => {
    const { calls, send, socket, clock, sent } = client()
    socket.isOpen = false
    expect(await failureOf(calls.call('setTime', abilities.setTime, [1200], send))).toEqual({
      kind: 'unavailable',
    })
    expect(calls.size).toBe(0)
    socket.isOpen = true
    clock.advance(600_000)
    expect(sent).toEqual([])
  })

  test('because 256 are pending is unavailable; when one has ended there is room for one', async () => {
    const { calls, send, sent } = client()
    const under = Array.from({ length: 256 }, () => calls.call('rendering', abilities.rendering, [], send))
    expect(await failureOf(calls.call('setTime', abilities.setTime, [1200], send))).toEqual({
      kind: 'unavailable',
    })
    expect([calls.size, sent.length]).toEqual([256, 256])
    calls.answered(1, fps(60))
    expect(await under[0]).toBe(60)
    void calls.call('rendering', abilities.rendering, [], send)
    expect(sent).toHaveLength(257)
  })
})

test('when the link is lost reads are unavailable and the outcome of writes is unknown', async () => {
  const { calls, game, clock, sent } = client()
  const ended = abilityNames.map((name) => failureOf(sampleCall(game, name)))
  calls.lose()
  expect(calls.size).toBe(0)
  const outcome = (name: (typeof abilityNames)[number]) =>
    abilities[name].effect === 'write' ? unknownOutcome : { kind: 'unavailable' }
  expect(await Promise.all(ended)).toEqual(abilityNames.map(outcome))
  clock.advance(600_000)
  expect(sent).toHaveLength(abilityNames.length)
})

/** A game whose calls the test ends, and a link over which the edge calls it. */
function servedCalls(rates = { reads: 0, writes: 0 }) {
  const clock = manualClock()
  const made: { readonly name: string; readonly args: unknown; end(outcome: unknown): void }[] = []
  const lines: LogLine[] = []
  const sent: string[] = []
  const limits = edgeLimits(rates, silent, clock.now)
  const game: GameBridge = {
    // A result or an error of any kind, as from a faulty bridge.
    ...callsOf<GameBridge, AbilityName>(
      abilities,
      (name, args) =>
        new Promise((resolve, reject) => {
          made.push({
            name,
            args,
            end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome as never)),
          })
        }),
    ),
    health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }),
    status: async () => neverSeen,
    subscribe: () => () => {},
    close: async () => {},
  }
  const records = memoryRecords()
  const serverOf = rpcServer({
    game,
    records,
    dispatch: dispatchOf(game, { records }),
    limits,
    log: recorder(lines),
    monotonic: clock.now,
  })
  const connect = (send: (text: string) => void) => serverOf(send, () => true)
  const server = connect((text) => sent.push(text))
  const call = (id: number, method: string, args: unknown = []) =>
    server.call({ type: 'call', id, method, args })
  return {
    clock,
    made,
    lines,
    sent,
    server,
    call,
    connect,
    frames: () => sent.map((text): unknown => JSON.parse(text)),
    async end(index: number, outcome: unknown) {
      made[index]?.end(outcome)
      await turn()
    },
  }
}
test('the result of a call is the second line of its answer, ids with every digit', async () => {
  const { call, end, sent } = servedCalls()
  expect(call(1, 'players')).toBe(true)
  await end(0, { players: [{ id: 2n ** 63n - 1n, name: 'Abby', isOnline: true }], version: 3 })
  expect(sent).toEqual([
    '{"type":"answer","id":1}\n{"players":[{"id":9223372036854775807,"name":"Abby","isOnline":true}],"version":3}',
  ])
})

test('a call without a result is answered by one line', async () => {
  const { call, end, sent, made } = servedCalls()
  call(1, 'setTime', [1200])
  await end(0, undefined)
  expect(sent).toEqual(['{"type":"answer","id":1}'])
  expect(made).toMatchObject([{ name: 'setTime', args: [1200] }])
})

test('a failure of the game is sent unchanged', async () => {
  const { call, end, frames } = servedCalls()
  call(1, 'players')
  await end(0, new FarmError({ kind: 'unavailable', retryAfter: 7 }))
  expect(frames()).toEqual([{ type: 'failure', id: 1, failure: { kind: 'unavailable', retryAfter: 7 } }])
})

describe('a call that is not made', () => {
  test.each(['no such thing', 'health', 'constructor', '__proto__', ''])(
    'of the unknown method %j is unsupported',
    (method) => {
      const { call, frames, made } = servedCalls()
      expect(call(1, method)).toBe(false)
      const what = 'do that: the one at the farm is older than the edge. Update farmgate at the farm.'
      expect(frames()).toEqual([
        { type: 'failure', id: 1, failure: { kind: 'unsupported', by: 'farmgate', what } },
      ])
      expect(made).toEqual([])
    },
  )

  test('with arguments out of bounds is answered with their rules, in at most 200 characters', async () => {
    const { call, frames, made } = servedCalls()
    call(1, 'setTime', [1275])
    call(2, 'diagnostics', [[['x'.repeat(1000), '1']]])
    call(3, 'players', 'none')
    await turn()
    expect(made).toEqual([])
    expect(frames()).toEqual(
      [1, 2, 3].map((id) => ({
        type: 'failure',
        id,
        failure: { kind: 'invalid_argument', sentence: expect.any(String) },
      })),
    )
    const sentences = frames().map((frame) => (frame as { failure: { sentence: string } }).failure.sentence)
    expect(sentences[0]).toMatch(/^Parameter 'value' must be/)
    expect(sentences[1]).toHaveLength(200)
  })

  test('has the id of a pending one, and has no answer', async () => {
    const { call, end, sent, made } = servedCalls()
    expect([call(1, 'rendering'), call(1, 'setTime', [1200]), call(1, 'nothing')]).toEqual([
      true,
      false,
      false,
    ])
    expect(made).toHaveLength(1)
    await end(0, 60)
    expect(sent).toEqual(['{"type":"answer","id":1}\n60'])
  })

  test('is over the rate of its kind, and is answered with the time to wait', () => {
    const { call, made, frames } = servedCalls({ reads: 2, writes: 1 })
    for (let id = 1; id <= 21; id += 1) call(id, 'rendering')
    for (let id = 31; id <= 41; id += 1) call(id, 'setTime', [1200])
    for (let id = 51; id <= 80; id += 1) call(id, 'sendChat', [{ author: 'Bot', message: 'hi' }])
    const madeOf = (method: string) => made.filter(({ name }) => name === method).length
    expect(['rendering', 'setTime', 'sendChat'].map(madeOf)).toEqual([20, 10, 30])
    const failure = { kind: 'unavailable', because: 'rate_limited' }
    expect(frames()).toEqual([
      { type: 'failure', id: 21, failure: { ...failure, retryAfter: 3 } },
      { type: 'failure', id: 41, failure: { ...failure, retryAfter: 6 } },
    ])
  })
})

describe('a call that the edge has cancelled', () => {
  test('continues at the game, and its result is not sent', async () => {
    const { server, call, end, sent } = servedCalls()
    call(1, 'setTime', [1200])
    expect(server.cancel(1)).toBe(true)
    await end(0, undefined)
    expect(sent).toEqual([])
  })

  test('ends without its failure being sent', async () => {
    const { server, call, end, sent } = servedCalls()
    call(1, 'setTime', [1200])
    server.cancel(1)
    await end(0, new FarmError({ kind: 'not_ready' }))
    expect(sent).toEqual([])
  })

  test('counts until the game has ended it: it keeps its id and its place', async () => {
    const { server, call, end, sent } = servedCalls()
    for (let id = 1; id <= 256; id += 1) {
      call(id, 'rendering')
      server.cancel(id)
    }
    expect([call(1, 'rendering'), call(257, 'rendering')]).toEqual([false, false])
    expect(sent).toEqual(['{"type":"failure","id":257,"failure":{"kind":"unavailable"}}'])
    await end(0, 60)
    expect([call(1, 'rendering'), call(258, 'rendering')]).toEqual([true, false])
  })

  test('is distinct from an unknown one, and from one that has ended', async () => {
    const { server, call, end } = servedCalls()
    expect(server.cancel(1)).toBe(false)
    call(1, 'rendering')
    await end(0, 60)
    expect(server.cancel(1)).toBe(false)
  })
})

test('when the link is lost no pending call is answered, and each counts for the next link until it has ended', async () => {
  const { server, call, connect, end, sent } = servedCalls()
  for (let id = 1; id <= 256; id += 1) call(id, 'setTime', [1200])
  server.stop()
  const next: string[] = []
  const again = connect((text) => next.push(text))
  const read = { type: 'call', id: 1, method: 'rendering', args: [] } as const
  expect(again.call(read)).toBe(false)
  await end(0, undefined)
  expect(again.call(read)).toBe(true)
  expect([sent, next]).toEqual([[], ['{"type":"failure","id":1,"failure":{"kind":"unavailable"}}']])
})

test('an answer that is too large for a frame is a failure, so that the edge need not close the link', async () => {
  const { call, end, frames } = servedCalls()
  call(1, 'diagnostics', [[]])
  await end(0, { state: 'x'.repeat(8 * 1024 * 1024) })
  const detail = 'answer too large for the link'
  expect(frames()).toEqual([
    { type: 'failure', id: 1, failure: { kind: 'bad_response', detail, write: false } },
  ])
})

test('an answer of exactly the size of a frame is sent', async () => {
  const { call, end, sent } = servedCalls()
  call(1, 'grantAdmin', [{ id: 1, label: 'id=1' }])
  await end(0, 'x'.repeat(8 * 1024 * 1024 - '{"type":"answer","id":1}\n""'.length))
  expect(sent[0]).toHaveLength(8 * 1024 * 1024)
})

describe('an unexpected error in a bridge', () => {
  const failure = { kind: 'bad_response', detail: 'see the log' }

  test('is logged with its stack, and the edge learns only whether a write might have been made', async () => {
    const { call, end, frames, lines } = servedCalls()
    const secret = new TypeError('the password is swordfish')
    call(1, 'setTime', [1200])
    call(2, 'rendering')
    await end(0, secret)
    await end(1, secret)
    expect(frames()).toEqual([
      { type: 'failure', id: 1, failure: { ...failure, write: true } },
      { type: 'failure', id: 2, failure: { ...failure, write: false } },
    ])
    expect(lines).toEqual(
      ['setTime', 'rendering'].map((method) => ({
        level: 'error',
        fields: { method, cause: secret.stack },
        message: 'a call from the edge failed by a bug',
      })),
    )
  })

  test('is logged once a minute for each ability', async () => {
    const { call, end, lines, clock } = servedCalls()
    const fail = async (id: number) => {
      call(id, 'rendering')
      await end(id - 1, new Error('a bug'))
      return lines.length
    }
    expect([await fail(1), await fail(2)]).toEqual([1, 1])
    clock.advance(59_999)
    expect(await fail(3)).toBe(1)
    clock.advance(1)
    expect(await fail(4)).toBe(2)
  })
})
