/** Options of connect(): fetch, WebSocket, timeout and signal. */

import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { followLog } from '../../client/follow-log.ts'
import { connect, type LogEvent } from '../../client/index.ts'
import { failureOf, never, scripted } from './scripted-server.ts'
import { reconnected, SteeredSocket, started } from './steered-socket.ts'

const players = { players: [], version: 1 }

describe('fetch and WebSocket', () => {
  test('that are passed in are used, and the global ones are not', async () => {
    const notThis = () => expect.unreachable('the global one was used')
    vi.stubGlobal('fetch', notThis)
    vi.stubGlobal('WebSocket', notThis)
    onTestFinished(() => void vi.unstubAllGlobals())
    const asked: unknown[] = []
    const farm = connect({
      url: 'http://farm.example',
      key: 'k',
      WebSocket: SteeredSocket,
      fetch: async (url, { method, headers } = {}) => {
        asked.push({ url, method, headers })
        return Response.json(players)
      },
    })
    expect(await farm.players()).toEqual(players)
    expect(asked).toEqual([
      {
        url: 'http://farm.example/players',
        method: 'GET',
        headers: { accept: 'application/json', authorization: 'Bearer k' },
      },
    ])
    SteeredSocket.all.length = 0
    farm.live().close()
    expect(SteeredSocket.all).toHaveLength(1)
  })

  test('default to the global ones at the time of the call', async () => {
    const farm = connect({ url: 'http://farm.example' })
    // Chromium refuses a fetch that is called as the method of another object.
    vi.stubGlobal('fetch', async function (this: unknown) {
      return Response.json({ players: [], version: this === undefined || this === globalThis ? 1 : 2 })
    })
    vi.stubGlobal('WebSocket', SteeredSocket)
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await farm.players()).toEqual(players)
    SteeredSocket.all.length = 0
    farm.live().close()
    expect(SteeredSocket.all).toHaveLength(1)
  })

  test('live() where there is no global WebSocket, as on Node 20, says how to pass one', () => {
    vi.stubGlobal('WebSocket', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const farm = connect({ url: 'http://localhost:8080', key: 'k' })
    expect(() => farm.live()).toThrow('install ws and pass its WebSocket to connect()')
  })
})

describe('timeout', () => {
  test('ends a call without its own timeout', async () => {
    const { url } = await scripted(never)
    const failure = await failureOf(connect({ url, timeout: 20 }).players())
    expect(failure).toMatchObject({ code: 'timeout', message: 'No answer within 20 ms' })
  })

  test('of a call overrides that of connect(), also when it is longer', async () => {
    const { url } = await scripted(never)
    const short = connect({ url, timeout: 60_000 }).players({}, { timeout: 20 })
    expect(await failureOf(short)).toMatchObject({ code: 'timeout', message: 'No answer within 20 ms' })
    const abort = new AbortController()
    const farm = connect({ url, timeout: 20 })
    const long = failureOf(farm.players({}, { timeout: 60_000, signal: abort.signal }))
    expect(await failureOf(farm.players())).toMatchObject({ code: 'timeout' })
    abort.abort(new Error('it was still waiting'))
    expect(await long).toMatchObject({ message: 'it was still waiting' })
  })

  test('ends an unfinished answer', async () => {
    const { farm } = await scripted((_request, response) => void response.writeHead(200).write('{"players":'))
    expect(await failureOf(farm.players({}, { timeout: 50 }))).toMatchObject({ code: 'timeout' })
  })

  test('of calls that load a world is at least 150 s, unless the call sets another', async () => {
    const limits = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => limits.mockRestore())
    const farm = connect({ url: 'http://farm.example', timeout: 20, fetch: async () => Response.json({}) })
    await farm.createNewGame()
    await farm.reloadWorld()
    await farm.reloadWorld({}, { timeout: 1_000 })
    await farm.players()
    expect(limits.mock.calls).toEqual([[150_000], [150_000], [1_000], [20]])
  })

  test('also applies to a chat message', async () => {
    const { live } = started({}, { timeout: 700 })
    const failed = expect(live.say({ author: 'Bot', message: 'hello' })).rejects.toMatchObject({
      code: 'timeout',
      message: 'No connection within 700 ms; the message was not said',
    })
    await vi.advanceTimersByTimeAsync(700)
    await failed
  })
})

describe('signal', () => {
  test('of a call ends it with the reason of the signal', async () => {
    const { farm, requests } = await scripted(never)
    const abort = new AbortController()
    const call = failureOf(farm.players({}, { signal: abort.signal }))
    abort.abort(new Error('no longer wanted'))
    expect(await call).toMatchObject({ message: 'no longer wanted' })
    expect(requests.length).toBeLessThanOrEqual(1)
  })

  test('of a call ends it in the pause before a retry', async () => {
    const abort = new AbortController()
    const { farm, requests } = await scripted((_request, response) => {
      response
        .writeHead(503, { 'retry-after': '20' })
        .end('{"error":"later","code":"x","retry":true}', () => {
          abort.abort(new Error('no longer wanted'))
        })
    })
    expect(await failureOf(farm.players({}, { signal: abort.signal }))).toMatchObject({
      message: 'no longer wanted',
    })
    expect(requests).toHaveLength(1)
  })

  test('of connect() ends its calls and live connections, and later ones', async () => {
    const { url, requests } = await scripted(never)
    const abort = new AbortController()
    const farm = connect({ url, signal: abort.signal, WebSocket: SteeredSocket })
    SteeredSocket.all.length = 0
    const live = farm.live()
    const own = farm.live({ signal: new AbortController().signal })
    const call = failureOf(farm.players())
    abort.abort(new Error('the program ends'))
    expect(await call).toMatchObject({ message: 'the program ends' })
    expect([live.state, own.state]).toEqual(['closed', 'closed'])
    const before = requests.length
    expect(await failureOf(farm.players())).toMatchObject({ message: 'the program ends' })
    expect(farm.live().state).toBe('closed')
    expect(requests).toHaveLength(before)
    expect(SteeredSocket.all).toHaveLength(2)
  })
})

/** A server whose log has these lines, until the test adds others. */
function followed() {
  vi.useFakeTimers()
  SteeredSocket.all.length = 0
  onTestFinished(() => void vi.useRealTimers())
  const printed: string[] = ['one', 'two']
  const answers: PromiseWithResolvers<void>[] = []
  const received: LogEvent[] = []
  const farm = connect({
    url: 'http://farm.example',
    key: 'key',
    WebSocket: SteeredSocket,
    onProblem: () => undefined,
    async fetch() {
      const lines = printed.map((text) => ({ text }))
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      await answer.promise
      return Response.json({ lines })
    },
  })
  const live = followLog(farm, { lines: 3, onLine: (line) => received.push(line), onError: () => undefined })
  onTestFinished(live.close)
  return {
    printed,
    received,
    /** The last lines arrive, as they were at the time of the request. */
    async answered() {
      answers.shift()?.resolve()
      await vi.advanceTimersByTimeAsync(0)
    },
    sent: (text: string) => SteeredSocket.last.deliver('event', { topic: 'log', text }),
  }
}
const texts = (received: readonly LogEvent[]) =>
  received.map((line) => ('text' in line ? line.text : line.missing))

test('lines that arrive while the last ones are read follow them, and none comes twice', async () => {
  const { received, answered, sent } = followed()
  SteeredSocket.last.accept()
  sent('two')
  sent('three')
  await answered()
  sent('four')
  expect(texts(received)).toEqual(['one', 'two', 'three', 'four'])
})

test('lines printed while the connection was lost follow when it is back', async () => {
  const { printed, received, answered, sent } = followed()
  SteeredSocket.last.accept()
  await answered()
  SteeredSocket.last.drop()
  printed.push('three')
  await reconnected()
  SteeredSocket.last.accept()
  await answered()
  sent('four')
  expect(texts(received)).toEqual(['one', 'two', 'three', 'four'])
})

test('if lines were printed that can no longer be read, the log says that some may be missing', async () => {
  const { printed, received, answered } = followed()
  SteeredSocket.last.accept()
  await answered()
  SteeredSocket.last.drop()
  printed.splice(0, 2, 'eight', 'nine')
  await reconnected()
  SteeredSocket.last.accept()
  await answered()
  expect(texts(received)).toEqual(['one', 'two', 0, 'eight', 'nine'])
})

test('if the connection opens again while the last lines are still read, the newest read alone counts', async () => {
  const { printed, received, answered, sent } = followed()
  SteeredSocket.last.accept()
  SteeredSocket.last.drop()
  printed.push('three')
  await reconnected()
  SteeredSocket.last.accept()
  sent('four')
  await answered()
  expect(texts(received)).toEqual([])
  sent('five')
  await answered()
  expect(texts(received)).toEqual(['one', 'two', 'three', 'four', 'five'])
})
