/** Answers of a game server that the upstream bridge refuses or passes on as a failure. */
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as answers from '../../../bridges/upstream/answers.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import { portOf } from '../../port-of.ts'
import { eventually } from '../../wait.ts'
import { failureOf } from '../contract/expectations.ts'
import { reachedGame, still } from '../own-game.ts'
import { tenthOfBudgets } from '../upstream-game.ts'

test('an answer with a number beyond a double is refused, because JSON has no infinite number', () => {
  for (const number of ['1e400', '-1e400'])
    expect(() => answers.readAnswer(answers.rendering, `{"fps":${number}}`)).toThrow(FarmError)
})

describe('the upstream bridge reads', () => {
  test('nothing from a bad answer: the next caller makes a new request', async () => {
    const { bridge, server } = await reachedGame({ limits: still })
    server.world.join('Abby', 1n)
    server.faults.set({ kind: 'garbage' }, 'GET /players')
    expect(await failureOf(bridge.players())).toMatchObject({ kind: 'bad_response' })
    server.faults.clear()
    expect((await bridge.players()).players).toHaveLength(1)
  })

  test.each([
    [
      { kind: 'slow', milliseconds: 1000 },
      { kind: 'timeout', write: false },
    ],
    [{ kind: 'hangs' }, { kind: 'timeout', write: false }],
    [{ kind: 'silent' }, { kind: 'timeout', write: false }],
    [{ kind: 'resets' }, { kind: 'unavailable' }],
    [{ kind: 'truncated' }, { kind: 'unavailable' }],
    [{ kind: 'status', status: 500, body: '{"error":"Internal server error"}' }, { kind: 'bad_response' }],
    [{ kind: 'status', status: 503, body: '{"error":"blocked","retry":true}' }, { kind: 'not_ready' }],
    [{ kind: 'status', status: 503, body: '<h1>no backend</h1>' }, { kind: 'unavailable' }],
    [{ kind: 'status', status: 404, body: '{"error":"Not found"}' }, { kind: 'unsupported' }],
    [{ kind: 'status', status: 404, body: '<h1>Not found</h1>' }, { kind: 'bad_response' }],
    [{ kind: 'wrong types' }, { kind: 'bad_response' }],
    [{ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: true }, { kind: 'bad_response' }],
    [{ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: false }, { kind: 'bad_response' }],
  ] as const)('an answer that %j as %j', async (fault, failure) => {
    const { bridge, server } = await reachedGame({
      limits: { ...still, ...(failure.kind === 'timeout' && tenthOfBudgets) },
    })
    server.faults.set(fault, 'GET /players')
    expect(await failureOf(bridge.players())).toMatchObject(failure)
    server.faults.clear()
    expect((await bridge.players()).players).toEqual([])
  })

  test('at most the size limit from an answer of 200 MB', async () => {
    const { bridge, server } = await reachedGame({ limits: still })
    let sent = 0
    const huge = createServer((_request, response) => {
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && sent < 200 * 1024 * 1024) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', write)
        }
        response.end()
      }
      write()
    })
    await server.down()
    await new Promise<void>((resolve) => huge.listen(server.port, '127.0.0.1', resolve))
    onTestFinished(() => void huge.close())
    expect(await failureOf(bridge.players())).toMatchObject({ kind: 'bad_response' })
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          huge.getConnections((_error, count) =>
            count === 0 ? resolve() : reject(new Error(`${count} open`)),
          )
        }),
    )
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  test.each([
    ['with', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['without', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ])('nothing from an answer 101 %s the upgrade headers, and ends the call at once', async (_what, head) => {
    const hour = 3_600_000
    const { bridge, server } = await reachedGame({ limits: { ...still, budgetOf: () => hour } })
    let open = 0
    const switching = createTcpServer((socket) => {
      open += 1
      socket.on('error', () => undefined).on('close', () => (open -= 1))
      socket.once('data', () => socket.write(head)).resume()
    })
    await server.down()
    await new Promise<void>((resolve) => switching.listen(server.port, '127.0.0.1', resolve))
    onTestFinished(() => void switching.close())
    expect(await failureOf(bridge.players())).toMatchObject({ kind: 'bad_response', write: false })
    expect(await failureOf(bridge.setTime(900))).toMatchObject({ kind: 'bad_response', write: true })
    await eventually(() => expect(open).toBe(0))
  })

  test('nothing from the target of a redirect, and does not send the key there', async () => {
    const asked: string[] = []
    const stranger = createServer((request, response) => {
      asked.push(JSON.stringify(request.headers))
      response.end('{"players":[],"version":1}')
    })
    const to = `http://127.0.0.1:${await portOf(stranger)}/players`
    const { bridge, server } = await reachedGame({ key: 'a key of the game' })
    server.faults.set({ kind: 'redirects', to })
    expect(await failureOf(bridge.players())).toMatchObject({ kind: 'bad_response' })
    expect(await failureOf(bridge.setTime(900))).toMatchObject({ kind: 'bad_response' })
    expect(asked).toEqual([])
  })

  test('unavailable while the game refuses the key, logged once without the key, until it is accepted again', async () => {
    const { bridge, server, logged } = await reachedGame({ key: 'a key of the game' })
    server.state.key = 'rotated'
    await eventually(async () =>
      expect(await failureOf(bridge.players())).toEqual({ kind: 'unavailable', because: 'key_refused' }),
    )
    const polls = server.count('GET /health')
    await eventually(() => expect(server.count('GET /health')).toBeGreaterThan(polls + 4))
    expect(bridge.health().gameAvailable).toBe(false)
    expect(logged.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'the game server refuses GAME_API_KEY: set it to its own API_KEY',
    ])
    server.state.key = 'a key of the game'
    await eventually(() => expect(bridge.health().gameAvailable).toBe(true))
    expect(JSON.stringify(logged)).not.toContain('a key of the game')
  })
})
