/** The services as the tables of hostile requests see them. */
import { expect, vi } from 'vitest'
import type { ConnectionLimits } from '../../../lib/connection-limits.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { linkKey } from '../../edge/edge-server.ts'
import { linkedFarm } from '../../edge/linked-farm.ts'
import { startOwnEdge } from '../../edge/own-edge.ts'
import { handshakeText } from '../../raw-bytes.ts'
import { nodeServer } from '../../runtime/node/node-server.ts'
import { fakePlatform } from '../../ticket/fake-platform.ts'
import { httpSetting, listening } from '../../ticket/http-setting.ts'
import { eventually } from '../../wait.ts'
import { lines, type Requests, requestsOf, type Shape } from './shape.ts'

const controlShapes = ({ bearer, bad, get }: Requests): readonly Shape[] => [
  ['a line of 5 KB', get(`/${'x'.repeat(5000)}`), [414], 'stays'],
  ['a line of 20 KB', get(`/${'x'.repeat(20_000)}`), [414], 'stays'],
  ['a value of 17 KB', get('/health', `X: ${'y'.repeat(17_000)}`), [431], 'stays'],
  ['a name of 17 KB', get('/health', `${'x'.repeat(17_000)}: y`), [431], 'stays'],
  ['a body of DELETE', `${get('/health', 'Content-Length: 3').replace('GET', 'DELETE')}abc`, [405], 'stays'],
  ['two slashes', get('//health'), [401], 'stays'],
  ['TRACE', get('/status').replace('GET', 'TRACE'), [405], 'stays'],
  ['PROPFIND', get('/status').replace('GET', 'PROPFIND'), [405], 'stays'],
  [
    'a foreign Origin that is the host of an absolute-form target',
    lines(`POST http://evil.example${bad} HTTP/1.1`, 'Host: x', bearer, 'Origin: http://evil.example'),
    [403],
    'stays',
  ],
]

const upgrade = (...lines: readonly string[]) => handshakeText('/ws', ...lines)

/** Handshakes of the chat. */
const upgradeShapes = ({ get, forbidden }: Requests): readonly Shape[] => [
  ['to h2c', get('/health', 'Connection: Upgrade', 'Upgrade: h2c'), [200], 'stays'],
  [
    'by curl --http2',
    get(
      '/health',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
    ),
    [200],
    'stays',
  ],
  ['to TLS', get('/health', 'Connection: Upgrade', 'Upgrade: TLS/1.0'), [200], 'stays'],
  ['without its Connection', upgrade('Connection:'), [426], 'ends'],
  ['with Connection: close', upgrade('Connection: close'), [426], 'ends'],
  ['of a list of protocols', upgrade('Upgrade: h2c, websocket'), [426], 'stays'],
  ['by POST', upgrade().replace('GET', 'POST'), [405], 'stays'],
  ['by HEAD', upgrade().replace('GET', 'HEAD'), [426], 'stays'],
  ['without a key', upgrade('Sec-WebSocket-Key:'), [400], 'ends'],
  ['with an empty key', upgrade('Sec-WebSocket-Key: '), [400], 'ends'],
  ['with a key that is not base64', upgrade('Sec-WebSocket-Key: !!!!!!!!!!!!!!!!!!!!!!=='), [400], 'ends'],
  ['with a short key', upgrade('Sec-WebSocket-Key: abc'), [400], 'ends'],
  ['with a key of 10 KB', upgrade(`Sec-WebSocket-Key: ${'a'.repeat(10_000)}`), [400], 'ends'],
  ['with two keys', upgrade('Sec-WebSocket-Key: a\r\nSec-WebSocket-Key: b'), [400], 'ends'],
  ['without a version', upgrade('Sec-WebSocket-Version:'), [400], 'ends'],
  ['of version 7', upgrade('Sec-WebSocket-Version: 7'), [400], 'ends'],
  ['of version 99', upgrade('Sec-WebSocket-Version: 99'), [400], 'ends'],
  ['of an unknown path with a percent sign', handshakeText('/%zz'), [401], 'ends'],
  ['of an unknown path', handshakeText('/nothing'), [401], 'ends'],
  ['of a path that is not a WebSocket', handshakeText('/health'), [200], 'ends'],
  ['of a foreign page', upgrade('Origin: http://evil.example'), [403], 'ends'],
  ['of the origin null', upgrade('Origin: null'), [403], 'ends'],
  ['without a Host', upgrade('Host:'), [400], 'ends'],
  ['with two Hosts', upgrade('Host: x\r\nHost: y'), [400], 'ends'],
  ...['//', '/\\', 'http://a:99999/ws', '*', 'ws', '', '/\\evil.example', '///ws', '/ws#x', '/ws\x01'].map(
    (target): Shape => [`of the target ${JSON.stringify(target)}`, handshakeText(target), [400], 'ends'],
  ),
  ['of a long target', handshakeText(`/ws?${'x'.repeat(12_000)}`), [414], 'ends'],
  ['with a subprotocol', upgrade('Sec-WebSocket-Protocol: chat'), [101], 'ends'],
  ['with a malformed subprotocol', upgrade('Sec-WebSocket-Protocol: a,,b'), [101], 'ends'],
  ['with malformed extensions', upgrade('Sec-WebSocket-Extensions: ;;;='), [101], 'ends'],
  ['with a malformed Host', upgrade('Host: ]['), [400], 'ends'],
  ['behind a request', get('/health') + upgrade() + forbidden(), [200, 426], 'ends'],
  ['of an absolute target', handshakeText('http://x/ws'), [400], 'ends'],
  ['of a target that does not parse', handshakeText('http://['), [400], 'ends'],
  ['of a target with two slashes', handshakeText('//evil.example/ws'), [400], 'ends'],
  [
    'with a body that is a request',
    upgrade(`Content-Length: ${forbidden().length}`, 'Sec-WebSocket-Key:') + forbidden(),
    [400],
    'ends',
  ],
  [
    'with a chunked body',
    `${upgrade('Transfer-Encoding: chunked', 'Sec-WebSocket-Key:')}zz\r\n${forbidden()}`,
    [400],
    'ends',
  ],
]

const ticketShapes = ({ key, bearer, keyed, get }: Requests): readonly Shape[] => [
  ['a line of 20 KB', get(`/${'x'.repeat(20_000)}`), [431], 'ends'],
  ['a value of 17 KB', get('/health', `X: ${'y'.repeat(17_000)}`), [431], 'ends'],
  ['HEAD without the key', get(keyed).replace('GET', 'HEAD'), [401], 'stays'],
  ['HEAD with the key', get(keyed, bearer).replace('GET', 'HEAD'), [200], 'stays'],
  ['OPTIONS without the key', get(keyed).replace('GET', 'OPTIONS'), [401], 'stays'],
  ['OPTIONS with the key', get(keyed, bearer).replace('GET', 'OPTIONS'), [405], 'stays'],
  ['TRACE, which would repeat the key', get(keyed, bearer).replace('GET', 'TRACE'), [405], 'stays'],
  ['DELETE', get(keyed, bearer).replace('GET', 'DELETE'), [405], 'stays'],
  ['an address as target', get(`http://x${keyed}`, bearer), [200], 'stays'],
  ['the key in the path', get(`/${key}${keyed}`), [200], 'stays'],
  ['the key with its characters encoded in the path', get(`/%63${key.slice(1)}${keyed}`), [401], 'stays'],
  ['the key behind a dot segment', get(`/x/../${key}${keyed}`), [200], 'stays'],
  ['the key as second segment', get(`/x/${key}${keyed}`), [401], 'stays'],
  ['the key in the query', get(`${keyed}?key=${key}`), [401], 'stays'],
  ['a handshake, which is a request like any other', handshakeText('/health'), [200], 'stays'],
]
/** A service, to which the shapes of requests are sent. */
interface ShapedService extends Requests {
  readonly port: number
  readonly ownShapes: Readonly<Record<string, readonly Shape[]>>
  /** The possible codes of problems, by their status; an answer with another has no body. */
  readonly codes: Readonly<Record<number, readonly string[]>>
  /** Expects what all answers have in common. */
  expectWhole(answer: string): void
  /** Expects that no forbidden write was carried out, and that no unexpected error was logged. */
  expectUnharmed(): Promise<void>
  stop(): Promise<void>
}

interface Service extends ShapedService {
  /** The target of a read with a long answer. */
  readonly large: string
  /** Holds the next valid write until the returned function is called. */
  hold(): () => void
  /** How many valid writes have reached the part behind the service. */
  writes(): number
  /** The messages that were logged as warnings. */
  warnings(): readonly string[]
}

export type StartService = (limits?: Partial<ConnectionLimits>) => Promise<Service>

const codes = {
  400: ['malformed_request', 'invalid_body'],
  401: ['unauthorized'],
  405: ['method_not_allowed'],
  431: ['headers_too_large'],
}

const controlTargets = {
  key: suiteKey,
  keyed: '/players',
  good: '/rendering?fps=7',
  bad: '/rendering?fps=66',
  readsBody: '/newgame',
}
const controlCodes = {
  ...codes,
  403: ['origin_not_allowed'],
  414: ['uri_too_long'],
  426: ['upgrade_required'],
}
function expectOwnHeaders(answer: string): void {
  if (answer.startsWith('HTTP/1.1 101')) return
  expect(answer).toMatch(/^x-request-id: \S+\r$/im)
  expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
}

async function controlApi(connections: Partial<ConnectionLimits> = {}): Promise<Service> {
  // So few clients that a failed handshake which still counts as a client is noticed.
  const server = await nodeServer({ maxClients: 2, server: { connections } })
  const requests = requestsOf(controlTargets)
  return {
    ...requests,
    port: server.port,
    large: '/docs/swagger-ui-bundle.js',
    ownShapes: { 'own:': controlShapes(requests), 'an upgrade': upgradeShapes(requests) },
    codes: controlCodes,
    expectWhole: expectOwnHeaders,
    hold() {
      void server.farm.freeze()
      return () => void server.farm.thaw()
    },
    warnings: () => server.log.filter(({ level }) => level === 'warn').map(({ message }) => message),
    writes: () => server.farm.writes(),
    async expectUnharmed() {
      await eventually(async () => (await openAuthenticated(server)).ws.terminate())
      expect(await server.bridge.rendering()).not.toBe(66)
      expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
    },
    stop: () => server.stop(),
  }
}

async function ticketService(limits: Partial<ConnectionLimits> = {}): Promise<Service> {
  const platform = fakePlatform()
  const renewal = vi.spyOn(platform, 'renewal')
  const repair = vi.spyOn(platform, 'repair')
  const requests = requestsOf({
    key: 'canary-key.~_-0123456789',
    keyed: '/platform/app-ticket',
    good: '/steam/renew-token',
    bad: '/game/validate',
    readsBody: '/steam/lobby/create',
  })
  const setting = httpSetting(platform, requests.key)
  const { port, close } = await listening(setting, limits)
  return {
    ...requests,
    port,
    large: '/metrics',
    ownShapes: { 'own:': ticketShapes(requests) },
    codes: { ...codes, 408: ['request_timeout'] },
    expectWhole: (answer) => expect(answer).not.toContain(requests.key),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      renewal.mockImplementationOnce(() => promise.then(() => fakePlatform().renewal()))
      return resolve
    },
    warnings: () =>
      setting.lines
        .map((line) => JSON.parse(line))
        .filter(({ level }) => level === 'warn')
        .map(({ msg }) => msg),
    writes: () => renewal.mock.calls.length + platform.calls.length,
    async expectUnharmed() {
      expect(repair).not.toHaveBeenCalled()
      const levels = setting.lines.map((line) => JSON.parse(line).level)
      expect(levels).not.toContain('error')
      expect(setting.lines.join()).not.toContain(requests.key)
    },
    stop: close,
  }
}

/** The shell in front of workerd, with a farm on its link. */
async function ownEdge(): Promise<ShapedService> {
  const own = await startOwnEdge({ API_KEY: suiteKey, LINK_KEY: linkKey, WS_MAX_CLIENTS: '2', ...unlimited })
  const ends: (() => Promise<void>)[] = []
  const { game } = await linkedFarm(own.url, linkKey, {}, undefined, (end) => ends.push(end))
  const requests = requestsOf(controlTargets)
  return {
    ...requests,
    port: Number(new URL(own.url).port),
    ownShapes: { 'own:': controlShapes(requests), 'an upgrade': upgradeShapes(requests) },
    codes: controlCodes,
    expectWhole: expectOwnHeaders,
    async expectUnharmed() {
      expect(await game.rendering()).not.toBe(66)
      expect(own.output()).not.toMatch(/"level":(50|"error")/)
    },
    async stop() {
      for (const end of ends) await end()
      await own.stop()
    },
  }
}

/** All have one address here. */
const unlimited = {
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
  RATE_LIMIT_ANONYMOUS: '0',
  RATE_LIMIT_FAILED_KEYS: '0',
}

export const services: readonly (readonly [string, StartService])[] = [
  ['the control API', controlApi],
  ['the ticket service', ticketService],
]

export const shapedServices: readonly (readonly [string, () => Promise<ShapedService>])[] = [
  ...services,
  ['the own edge', ownEdge],
]
