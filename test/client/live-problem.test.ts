/** The problem that a live connection reports when it cannot open; with real servers and the WebSocket of `ws`. */
import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { connect, type FarmgateError } from '../../client/index.ts'
import { portOf, unusedPort } from '../port-of.ts'
import { eventually } from '../wait.ts'
import { type Answer, answer, offline, scripted } from './scripted-server.ts'
import { reconnected, SteeredSocket, started } from './steered-socket.ts'

const upgradeRequired = answer(426, { success: false, error: 'Use a WebSocket', code: 'upgrade_required' })

/** A live connection to the address, and the problems that it reports. */
function liveAt(url: string) {
  const problems: FarmgateError[] = []
  const onProblem = (problem: FarmgateError) => problems.push(problem)
  const live = connect({ url, key: 'k', WebSocket, onProblem }).live()
  onTestFinished(() => live.close())
  return { live, problems }
}

describe('the wrong address ends the live connection with the cause', () => {
  test.each<[string, Answer, object]>([
    [
      'the 404 of farmgate',
      answer(404, { success: false, error: 'Not found', code: 'not_found' }),
      { code: 'not_found', message: 'Not found', status: 404 },
    ],
    [
      'the 404 of another server',
      answer(404, '<h1>Not Found</h1>'),
      { code: 'bad_answer', message: expect.stringMatching(/is not the address of a farm: .* HTTP 404 /) },
    ],
    [
      'a web page',
      answer(200, '<h1>Welcome to nginx!</h1>'),
      { code: 'bad_answer', message: expect.stringMatching(/is not the address of a farm: .* HTTP 200 /) },
    ],
  ])('%s', async (_what, reply, failure) => {
    const { url, requests } = await scripted(reply)
    const { live, problems } = liveAt(`${url}/clover`)
    const iteration = live[Symbol.asyncIterator]().next()
    await expect(iteration).rejects.toMatchObject({ ...failure, retry: false })
    expect(live.state).toBe('refused')
    expect(problems).toEqual([expect.objectContaining(failure)])
    expect(requests.at(-1)).toMatchObject({ url: '/clover/ws', key: 'Bearer k' })
  })

  test('a redirect, which no WebSocket follows: the cause names the right address', async () => {
    const { url: target } = await scripted(answer(404, ''))
    const { url } = await scripted((request, response) =>
      response.writeHead(301, { location: `${target}/farms/clover${request.url}` }).end(),
    )
    const { live, problems } = liveAt(url)
    await eventually(() => expect(live.state).toBe('refused'))
    expect(problems[0]?.message).toBe(`${url} redirects to ${target}/farms/clover; connect to that`)
  })
})

describe('a temporary cause is reported once, and the connection is tried again', () => {
  test("a port without a listener, with the system's error code", async () => {
    const port = await unusedPort()
    const { live, problems } = liveAt(`http://127.0.0.1:${port}`)
    await eventually(() => expect(problems).toHaveLength(1))
    expect(problems[0]).toMatchObject({
      code: 'unreachable',
      retry: true,
      message: `No answer from 127.0.0.1:${port} (ECONNREFUSED)`,
    })
    expect(live.state).toBe('connecting')
  })

  test.each<[string, Answer, object]>([
    ['an offline game', answer(503, offline), { code: 'game_unavailable' }],
    [
      'the page of a proxy whose server restarts',
      answer(502, '<h1>Bad Gateway</h1>'),
      { code: 'bad_answer' },
    ],
    ['a server that fails', answer(500, '<h1>Oops</h1>'), { code: 'bad_answer' }],
    [
      'a proxy that does not pass on WebSockets',
      upgradeRequired,
      { code: 'upgrade_required', message: expect.stringContaining('a proxy in front of it') },
    ],
  ])('%s', async (_what, reply, problem) => {
    const { url } = await scripted(reply)
    const { live, problems } = liveAt(url)
    await eventually(() => expect(problems).toEqual([expect.objectContaining({ ...problem, retry: true })]))
    expect(live.state).toBe('connecting')
  })

  test('a server that opens the connection and ends it, with its reason', async () => {
    const server = createServer()
    new WebSocketServer({ server }).on('connection', (ws) => ws.close(1013, 'Too many clients'))
    const { problems } = liveAt(`http://127.0.0.1:${await portOf(server)}`)
    await eventually(() =>
      expect(problems).toEqual([
        expect.objectContaining({ message: 'The server ended the connection with "Too many clients"' }),
      ]),
    )
  })

  test('however many attempts fail in one outage, and again in the next outage', async () => {
    const { problems } = started()
    const fail = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        SteeredSocket.last.drop()
        await reconnected()
      }
    }
    await fail(4)
    expect(problems).toHaveLength(1)
    SteeredSocket.last.accept()
    SteeredSocket.last.drop()
    await reconnected()
    await fail(1)
    // A restarted server answers at the next attempt.
    expect(problems).toHaveLength(1)
    await fail(3)
    expect(problems).toHaveLength(2)
  })
})

test('an address that has worked stays in use while a proxy answers 404 for a restarting server', async () => {
  const { live, problems } = started(
    {},
    { fetch: async () => new Response('404 page not found', { status: 404 }) },
  )
  SteeredSocket.last.accept()
  for (let count = 0; count < 3; count += 1) {
    SteeredSocket.last.drop()
    await reconnected()
  }
  expect(problems).toHaveLength(1)
  expect(live.state).toBe('connecting')
  SteeredSocket.last.accept()
  expect(live.state).toBe('live')
})

test('a refused key is reported too', () => {
  const { problems } = started()
  SteeredSocket.last.happen('open')
  SteeredSocket.last.deliver('auth_failed', { error: 'Invalid token' })
  expect(problems).toEqual([expect.objectContaining({ code: 'unauthorized', message: 'Invalid token' })])
})

test('without onProblem the cause is one warning on the console', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => warn.mockRestore())
  const { live } = started({}, { onProblem: undefined })
  for (let count = 0; count < 3; count += 1) {
    SteeredSocket.last.drop()
    await reconnected()
  }
  live.close()
  expect(warn.mock.calls).toEqual([
    ['farmgate: no live connection. No answer from edge.example. The client tries again.'],
  ])
})

test('a socket that reports its failure by error alone, as on Node 22, counts as ended', async () => {
  started()
  SteeredSocket.last.happen('error')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(SteeredSocket.all).toHaveLength(2)
})

describe('after a drop', () => {
  test('it asks for the lines after the last one, also when it has received none', async () => {
    const { seqs, gaps } = started()
    SteeredSocket.last.accept(100)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    expect(SteeredSocket.last.sent[0]?.payload).toEqual({ token: 'k', since: 100 })
    SteeredSocket.last.chat(101)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    expect(SteeredSocket.last.sent[0]?.payload).toEqual({ token: 'k', since: 101 })
    SteeredSocket.last.chat(101)
    SteeredSocket.last.chat(102)
    expect(seqs()).toEqual([101, 102])
    expect(gaps).toEqual([])
  })

  test('lines that the server no longer has are reported as a gap', async () => {
    const { gaps, seqs } = started()
    SteeredSocket.last.accept(100)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    SteeredSocket.last.deliver('gap', { from: 101, to: 150 })
    SteeredSocket.last.chat(151)
    expect(gaps).toEqual([{ from: 101, to: 150 }])
    expect(seqs()).toEqual([151])
  })

  test('when the server restarts its numbering lower, the chat continues from there', async () => {
    const { gaps, seqs } = started({ since: 900 })
    SteeredSocket.last.accept()
    SteeredSocket.last.deliver('gap', { from: null, to: 20 })
    SteeredSocket.last.chat(21)
    expect(gaps).toEqual([{ from: null, to: 20 }])
    expect(seqs()).toEqual([21])
  })

  test('a line is delivered once, also when the server sends it both as missed and as new', async () => {
    const { seqs, gaps } = started({ since: 100 })
    SteeredSocket.last.accept()
    for (const seq of [101, 102]) SteeredSocket.last.chat(seq)
    SteeredSocket.last.drop()
    await reconnected()
    SteeredSocket.last.accept()
    for (const seq of [101, 102, 103, 103, 102]) SteeredSocket.last.chat(seq)
    expect(seqs()).toEqual([101, 102, 103])
    expect(gaps).toEqual([])
  })

  test.each([
    ['shortest', 0, 500],
    ['longest', 1, 1_000],
  ])(
    'each pause has a jitter of up to its half, so that clients do not all return together: the %s',
    async (_, random, pause) => {
      const mocked = vi.spyOn(Math, 'random').mockReturnValue(random)
      onTestFinished(() => mocked.mockRestore())
      started()
      SteeredSocket.last.drop()
      await vi.advanceTimersByTimeAsync(pause - 1)
      expect(SteeredSocket.all).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1)
      expect(SteeredSocket.all).toHaveLength(2)
    },
  )

  test('the pauses before new attempts grow to half a minute, and restart once the server accepts', async () => {
    started()
    const attempts = () => SteeredSocket.all.length
    for (let failures = 0; failures < 8; failures += 1) {
      SteeredSocket.last.drop()
      await reconnected()
    }
    expect(attempts()).toBe(9)
    SteeredSocket.last.drop()
    await vi.advanceTimersByTimeAsync(14_000)
    expect(attempts()).toBe(9)
    await reconnected()
    expect(attempts()).toBe(10)
    SteeredSocket.last.accept()
    SteeredSocket.last.drop()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(attempts()).toBe(11)
  })
})

test('a connection whose server is silent after a ping is replaced', async () => {
  const { live } = started()
  SteeredSocket.last.accept()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(SteeredSocket.last.sent.at(-1)).toEqual({ type: 'ping' })
  SteeredSocket.last.deliver('pong')
  await vi.advanceTimersByTimeAsync(30_000)
  const silent = SteeredSocket.last
  await vi.advanceTimersByTimeAsync(10_000)
  expect(silent.isClosed).toBe(true)
  expect(live.state).toBe('connecting')
  silent.chat(500)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(SteeredSocket.all).toHaveLength(2)
})

test('a connection that the server accepts and never opens is dropped', async () => {
  started()
  await vi.advanceTimersByTimeAsync(41_000)
  expect(SteeredSocket.all).toHaveLength(2)
})
