/** The calls of the edge, at the farm: each is made at the game at most once, and answered at most once. */
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type CallName, type LinkedPorts, linkCalls } from '../../../bridges/linked/calls.ts'
import { edgeLimits } from '../../../bridges/linked/farm-end/edge-limits.ts'
import { rpcServer } from '../../../bridges/linked/farm-end/rpc-server.ts'
import { callsOf } from '../../../handlers/ability.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { apiKeyHolder } from '../../../handlers/key-holder.ts'
import { type LogLine, recorder, silent } from '../../logs.ts'
import { manualClock } from '../manual-clock.ts'

/** A game whose calls the test ends, and a link over which the edge calls it. */
function edgeCalls(rates = { reads: 0, writes: 0 }) {
  const clock = manualClock()
  const made: { readonly name: string; readonly args: unknown; end(outcome: unknown): void }[] = []
  const lines: LogLine[] = []
  const sent: string[] = []
  const called = (name: string, args: unknown) =>
    new Promise<never>((resolve, reject) => {
      made.push({
        name,
        args,
        // A result or an error of any kind, as from a faulty bridge.
        end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome as never)),
      })
    })
  const ports = callsOf<LinkedPorts, CallName>(linkCalls, called)
  const game = {
    ...ports,
    health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }),
    status: async () => neverSeen,
    subscribe: () => () => {},
    close: async () => {},
  }
  const records = { ...ports, state: () => 'ok' as const }
  const dispatch = {
    effectOf: () => undefined,
    dispatch: () => called('dispatch', []),
    say: (message: unknown) => called('say', [message]),
  }
  const log = recorder(lines)
  const limits = edgeLimits(rates, silent, clock.now)
  const calls = rpcServer({ game, records, dispatch, limits, log, monotonic: clock.now })
  const connect = (send: (text: string) => void) => calls(send, () => undefined)
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

/** A write that the edge itself makes of the farm's records. */
const binding = ['bindDiscordServer', [{ code: 'abc', serverId: '80351110224678912' }]] as const
const message = {
  author: 'Bot',
  lines: ['one', 'two', 'three'],
  holder: apiKeyHolder(),
  address: '192.0.2.7',
}

test('the result of a call is the second line of its answer, ids with every digit', async () => {
  const { call, end, sent } = edgeCalls()
  expect(call(1, 'players')).toBe(true)
  await end(0, { players: [{ id: 2n ** 63n - 1n, name: 'Abby', isOnline: true }], version: 3 })
  expect(sent).toEqual([
    '{"type":"answer","id":1}\n{"players":[{"id":9223372036854775807,"name":"Abby","isOnline":true}],"version":3}',
  ])
})

test('a call without a result is answered by one line', async () => {
  const { call, end, sent, made } = edgeCalls()
  call(1, 'usedKey', ['k1'])
  await end(0, undefined)
  expect(sent).toEqual(['{"type":"answer","id":1}'])
  expect(made).toMatchObject([{ name: 'usedKey', args: ['k1'] }])
})

test('a failure of the game is sent unchanged', async () => {
  const { call, end, frames } = edgeCalls()
  call(1, 'players')
  await end(0, new FarmError({ kind: 'unavailable', retryAfter: 7 }))
  expect(frames()).toEqual([{ type: 'failure', id: 1, failure: { kind: 'unavailable', retryAfter: 7 } }])
})

describe('a call that is not made', () => {
  test.each(['no such thing', 'health', 'constructor', '__proto__', ''])(
    'of the unknown method %j is unsupported',
    (method) => {
      const { call, frames, made } = edgeCalls()
      expect(call(1, method)).toBe(false)
      const failure = { kind: 'unsupported', by: 'farmgate', what: 'do that', isUnknownCall: true }
      expect(frames()).toEqual([{ type: 'failure', id: 1, failure }])
      expect(made).toEqual([])
    },
  )

  test('with arguments out of bounds is answered with their rules, in at most 200 characters', async () => {
    const { call, frames, made } = edgeCalls()
    call(1, 'usedKey', [7])
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
    expect(sentences[0]).toMatch(/^Invalid type/)
    expect(sentences[1]).toHaveLength(200)
  })

  test('has the id of a pending one, and has no answer', async () => {
    const { call, end, sent, made } = edgeCalls()
    expect([call(1, 'rendering'), call(1, ...binding), call(1, 'nothing')]).toEqual([true, false, false])
    expect(made).toHaveLength(1)
    await end(0, 60)
    expect(sent).toEqual(['{"type":"answer","id":1}\n60'])
  })

  test('is over the rate of its kind, and is answered with the time to wait', () => {
    const { call, made, frames } = edgeCalls({ reads: 2, writes: 1 })
    for (let id = 1; id <= 21; id += 1) call(id, 'rendering')
    for (let id = 31; id <= 41; id += 1) call(id, ...binding)
    for (let id = 51; id <= 80; id += 1) call(id, 'say', [message])
    const madeOf = (method: string) => made.filter(({ name }) => name === method).length
    expect(['rendering', binding[0], 'say'].map(madeOf)).toEqual([20, 10, 30])
    const failure = { kind: 'unavailable', because: 'rate_limited' }
    expect(frames()).toEqual([
      { type: 'failure', id: 21, failure: { ...failure, retryAfter: 3 } },
      { type: 'failure', id: 41, failure: { ...failure, retryAfter: 6 } },
    ])
  })
})

describe('a call that the edge has cancelled', () => {
  test('continues at the game, and its result is not sent', async () => {
    const { server, call, end, sent } = edgeCalls()
    call(1, ...binding)
    expect(server.cancel(1)).toBe(true)
    await end(0, undefined)
    expect(sent).toEqual([])
  })

  test('ends without its failure being sent', async () => {
    const { server, call, end, sent } = edgeCalls()
    call(1, ...binding)
    server.cancel(1)
    await end(0, new FarmError({ kind: 'not_ready' }))
    expect(sent).toEqual([])
  })

  test('counts until the game has ended it: it keeps its id and its place', async () => {
    const { server, call, end, sent } = edgeCalls()
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
    const { server, call, end } = edgeCalls()
    expect(server.cancel(1)).toBe(false)
    call(1, 'rendering')
    await end(0, 60)
    expect(server.cancel(1)).toBe(false)
  })
})

test('when the link is lost no pending call is answered, and each counts for the next link until it has ended', async () => {
  const { server, call, connect, end, sent } = edgeCalls()
  for (let id = 1; id <= 256; id += 1) call(id, ...binding)
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
  const { call, end, frames } = edgeCalls()
  call(1, 'diagnostics', [[]])
  await end(0, { state: 'x'.repeat(8 * 1024 * 1024) })
  const detail = 'answer too large for the link'
  expect(frames()).toEqual([
    { type: 'failure', id: 1, failure: { kind: 'bad_response', detail, write: false } },
  ])
})

test('an answer of exactly the size of a frame is sent', async () => {
  const { call, end, sent } = edgeCalls()
  call(1, 'inviteCode')
  await end(0, 'x'.repeat(8 * 1024 * 1024 - '{"type":"answer","id":1}\n""'.length))
  expect(sent[0]).toHaveLength(8 * 1024 * 1024)
})

test('a message counts against the rate of chat lines with each of its lines', async () => {
  const { call, made, end, frames } = edgeCalls()
  for (let id = 1; id <= 1201; id += 1) {
    call(id, 'say', [message])
    if (id <= 1200) await end(id - 1, undefined)
  }
  expect(made).toHaveLength(1200)
  expect(frames().at(-1)).toEqual({
    ...{ type: 'failure', id: 1201 },
    failure: { kind: 'unavailable', because: 'rate_limited', retryAfter: 1 },
  })
})

describe('an unexpected error in a bridge', () => {
  const failure = { kind: 'bad_response', detail: 'see the log' }

  test('is logged with its stack, and the edge learns only whether a write might have been made', async () => {
    const { call, end, frames, lines } = edgeCalls()
    const secret = new TypeError('the password is swordfish')
    call(1, ...binding)
    call(2, 'rendering')
    await end(0, secret)
    await end(1, secret)
    expect(frames()).toEqual([
      { type: 'failure', id: 1, failure: { ...failure, write: true } },
      { type: 'failure', id: 2, failure: { ...failure, write: false } },
    ])
    expect(lines).toEqual(
      [binding[0], 'rendering'].map((method) => ({
        level: 'error',
        fields: { method, cause: secret.stack },
        message: 'a call from the edge failed by a bug',
      })),
    )
  })

  test('is logged once a minute for each ability', async () => {
    const { call, end, lines, clock } = edgeCalls()
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
