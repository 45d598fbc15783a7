/** Answers of a game server that the upstream bridge refuses or passes on as a failure. */
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as answers from '../../../bridges/upstream/answers.ts'
import { withoutKey } from '../../../bridges/upstream/without-key.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import type { Fault } from '../../game-server/faults.ts'
import { portOf } from '../../port-of.ts'
import { eventually } from '../../wait.ts'
import { failureOf } from '../contract/expectations.ts'
import { ownGame, reachedGame, still } from '../own-game.ts'
import { tenthOfBudgets } from '../upstream-game.ts'

test('an answer with a number beyond a double is refused, because JSON has no infinite number', () => {
  for (const number of ['1e400', '-1e400'])
    expect(() => answers.readAnswer(answers.rendering, `{"fps":${number}}`)).toThrow(FarmError)
})

describe('the upstream bridge reads', () => {
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
    [{ kind: 'garbage' }, { kind: 'bad_response' }],
    [{ kind: 'wrong types' }, { kind: 'bad_response' }],
    [{ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: true }, { kind: 'bad_response' }],
    [{ kind: 'enormous', bytes: 200 * 1024 * 1024, isChunked: false }, { kind: 'bad_response' }],
  ] as const)('an answer that %j as %j, and then a new one', async (fault, failure) => {
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

const key = 'Echo/Echo+Echo"Echo\\Echo&Ec=='

async function started() {
  const game = await ownGame({ key })
  const events: GameEvent[] = []
  game.bridge.subscribe((event) => void events.push(event))
  return { ...game, events }
}

/** Everything that the log and callers received. */
const shown = (...reported: readonly unknown[]) =>
  JSON.stringify(reported, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))

describe('a key that the game repeats is in no log line, answer or event', () => {
  const json = (body: object) => JSON.stringify(body)
  test.each<[string, Partial<Extract<Fault, { kind: 'status' }>>]>([
    ['the sentence of an error', { status: 400, body: json({ success: false, error: `no ${key}` }) }],
    ['a reason that is shown', { status: 400, body: json({ success: false, error: `not enabled: ${key}` }) }],
    ['a rejection with status 200', { status: 200, body: json({ success: false, error: `no ${key}` }) }],
    ['a name of a member', { status: 200, body: json({ [key]: 1 }) }],
    ['text that is not JSON', { status: 200, body: `Authorization: Bearer ${key}` }],
    ['the content type', { status: 500, body: '', headers: { 'content-type': `text/${key}` } }],
    ['a proxy that answers so', { status: 502, body: `<html>${key}`, headers: { 'content-type': key } }],
  ])('%s', async (_what, fault) => {
    const { bridge, server, logged, events } = await started()
    await eventually(async () => expect((await bridge.status()).isOnline).toBe(true))
    server.faults.set({ kind: 'status', status: 500, body: '', ...fault })
    const calls = [
      bridge.players(),
      bridge.settings(),
      bridge.screenshot(),
      bridge.diagnostics([]),
      bridge.setRendering(7),
      bridge.setTime(900),
      bridge.grantAdmin({ id: 1n, label: 'Abby' }),
    ]
    const reported = (await Promise.allSettled(calls)).map((call) =>
      call.status === 'rejected' ? [call.reason, call.reason.failure, call.reason.cause] : call.value,
    )
    await eventually(() => expect(bridge.health().gameAvailable).toBe(false))
    expect(shown(reported, logged, events)).not.toContain('Echo')
  })

  test('its status, its players and its chat', async () => {
    const { bridge, server, logged, events } = await started()
    server.world.farmName = `Farm ${key}`
    await eventually(async () => expect((await bridge.status()).farmName).toBe('Farm ***'))
    server.world.say('Abby', `my key is ${key}`)
    await eventually(() =>
      expect(events).toContainEqual(expect.objectContaining({ type: 'chat', message: 'my key is ***' })),
    )
    expect(shown(logged, events, await bridge.status())).not.toContain('Echo')
  })
})

describe('the key is blanked', () => {
  const blank = withoutKey(key)
  test.each([
    ['as it is', key],
    ['in JSON', JSON.stringify(key).slice(1, -1)],
    ['as .NET escapes it', 'Echo/Echo\\u002BEcho\\u0022Echo\\\\Echo\\u0026Ec=='],
    ['as PHP escapes it', 'Echo\\/Echo+Echo\\"Echo\\\\Echo&Ec=='],
    ['with every character escaped', Array.from(key, (c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
  ])('%s', (_how, text) => {
    expect(blank(`{"error":"${text} and ${text}"}`)).toBe('{"error":"*** and ***"}')
  })

  test('a text without it stays as it is, and so does every text where the key is too short to be a secret', () => {
    expect(blank('Echo/Echo')).toBe('Echo/Echo')
    expect(withoutKey('')('any text')).toBe('any text')
    expect(withoutKey('1234567')('{"id":12345678}')).toBe('{"id":12345678}')
  })
})
