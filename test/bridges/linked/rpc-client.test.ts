/** The calls of the edge, at the edge: each has an id and a time limit, and ends exactly once. */

import { describe, expect, test } from 'vitest'
import { type CallName, type LinkedPorts, linkCalls } from '../../../bridges/linked/calls.ts'
import { RpcClient } from '../../../bridges/linked/edge-end/rpc-client.ts'
import { type ArgsOf, type Callable, callsOf, type ResultOf } from '../../../handlers/ability.ts'
import type { FarmFailure } from '../../../handlers/farm-error.ts'
import { newKey } from '../../../handlers/key-record.ts'
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
  const game = callsOf<LinkedPorts, CallName>(linkCalls, (name, args) =>
    calls.call<ArgsOf<LinkedPorts, typeof name>, ResultOf<LinkedPorts, typeof name>>(
      name,
      linkCalls[name],
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

const names = Object.keys(linkCalls) as readonly CallName[]
/** A call by its name; its arguments are the farm's to check. */
const anyCall = (game: Callable<LinkedPorts, CallName>, name: CallName): Promise<unknown> =>
  (game[name] as () => Promise<unknown>)()

const fps = (value: number) => JSON.stringify(value)

test('a call is sent with its method and arguments, ids with every digit, and each has the next id', () => {
  const { calls, send, sent } = client(7)
  void calls.call('dispatch', linkCalls.usedKey, [person(2n ** 63n - 1n)], send)
  void calls.call('players', linkCalls.players, [], send)
  expect(sent).toEqual([
    '{"type":"call","id":7,"method":"dispatch","args":[{"id":9223372036854775807,"label":"id=9223372036854775807"}]}',
    '{"type":"call","id":8,"method":"players","args":[]}',
  ])
  expect([calls.size, calls.isOurs(8), calls.isOurs(9)]).toEqual([2, true, false])
})

test('answers reach the calls of their ids, in any order', async () => {
  const { calls, send } = client()
  const first = calls.call('rendering', linkCalls.rendering, [], send)
  const second = calls.call('rendering', linkCalls.rendering, [], send)
  expect([calls.answered(2, fps(30)), calls.answered(1, fps(60))]).toEqual([true, true])
  expect([await first, await second, calls.size]).toEqual([60, 30, 0])
})

test('an answer without a second line is the result of a call without a result', async () => {
  const { calls, send } = client()
  const call = calls.call('usedKey', linkCalls.usedKey, ['k1'], send)
  calls.answered(1, undefined)
  expect(await call).toBeUndefined()
})

test('a failure of the game is the failure of the call', async () => {
  const { calls, send } = client()
  const failure: FarmFailure = { kind: 'farmhand_online', label: 'Abby', change: 'delete' }
  const call = failureOf(calls.call('usedKey', linkCalls.usedKey, ['k1'], send))
  expect(calls.failed(1, failure)).toBe(true)
  expect([await call, calls.size]).toEqual([failure, 0])
})

describe('an answer that no call awaits is ignored', () => {
  test('because the call was answered before', async () => {
    const { calls, send } = client()
    const call = calls.call('rendering', linkCalls.rendering, [], send)
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
    const call = failureOf(calls.call('players', linkCalls.players, [], send))
    calls.answered(1, body)
    const detail = 'players answered something else'
    expect(await call).toEqual({ kind: 'bad_response', detail, write: false })
  })

  test('ends a write as a bad response that says that it might have been made', async () => {
    const { calls, send } = client()
    const call = failureOf(calls.call('usedKey', linkCalls.usedKey, ['k1'], send))
    calls.answered(1, '1200')
    const detail = 'usedKey answered something else'
    expect(await call).toEqual({ kind: 'bad_response', detail, write: true })
  })
})

describe('a repeated answer', () => {
  const players = '{"players":[],"version":1}'
  const twice = async (bodies: readonly [string, string]) => {
    const { calls, send } = client()
    const read = async (id: number, body: string) => {
      const call = calls.call('players', linkCalls.players, [], send)
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
    const asked = calls.call('players', linkCalls.players, [], send)
    calls.answered(1, players)
    await asked
    const other = failureOf(calls.call('cabins', linkCalls.cabins, [], send))
    calls.answered(2, players)
    expect((await other).kind).toBe('bad_response')
  })
})

describe('time', () => {
  test.each(names)('%s has its time budget and one second more for the link', async (name) => {
    const { calls, game, clock, frames } = client()
    const call = failureOf(anyCall(game, name))
    clock.advance(linkCalls[name].budget + 999)
    expect([calls.size, frames().length]).toEqual([1, 1])
    clock.advance(1)
    expect([calls.size, frames()[1]]).toEqual([0, { type: 'cancel', id: 1 }])
    expect(await call).toEqual({ kind: 'timeout', write: linkCalls[name].effect === 'write' })
    expect(calls.answered(1, undefined)).toBe(false)
  })

  test('of an ended call is over: no cancel is sent', async () => {
    const { calls, send, clock, sent } = client()
    const call = calls.call('usedKey', linkCalls.usedKey, ['k1'], send)
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
    expect(await failureOf(calls.call('usedKey', linkCalls.usedKey, ['k1'], send))).toEqual({
      kind: 'unavailable',
    })
    expect(calls.size).toBe(0)
    socket.isOpen = true
    clock.advance(600_000)
    expect(sent).toEqual([])
  })

  test('because 256 are pending is unavailable; when one has ended there is room for one', async () => {
    const { calls, send, sent } = client()
    const under = Array.from({ length: 256 }, () => calls.call('rendering', linkCalls.rendering, [], send))
    expect(await failureOf(calls.call('usedKey', linkCalls.usedKey, ['k1'], send))).toEqual({
      kind: 'unavailable',
    })
    expect([calls.size, sent.length]).toEqual([256, 256])
    calls.answered(1, fps(60))
    expect(await under[0]).toBe(60)
    void calls.call('rendering', linkCalls.rendering, [], send)
    expect(sent).toHaveLength(257)
  })
})

test('when the link is lost reads are unavailable and the outcome of writes is unknown', async () => {
  const { calls, game, clock, sent } = client()
  const ended = names.map((name) => failureOf(anyCall(game, name)))
  calls.lose()
  expect(calls.size).toBe(0)
  const outcome = (name: CallName) =>
    linkCalls[name].effect === 'write' ? unknownOutcome : { kind: 'unavailable' }
  expect(await Promise.all(ended)).toEqual(names.map(outcome))
  clock.advance(600_000)
  expect(sent).toHaveLength(names.length)
})
