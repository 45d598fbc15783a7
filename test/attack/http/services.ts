/** The two services as the tables of hostile requests see them. */
import { expect, vi } from 'vitest'
import type { ConnectionLimits } from '../../../lib/connection-limits.ts'
import { openAuthenticated } from '../../contract/chat-client.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { nodeServer } from '../../runtime/node/node-server.ts'
import { fakePlatform } from '../../ticket/fake-platform.ts'
import { httpSetting, listening } from '../../ticket/http-setting.ts'
import { eventually } from '../../wait.ts'
import { controlShapes, ticketShapes, upgradeShapes } from './own.ts'
import { type Requests, requestsOf, type Shape } from './shape.ts'

interface Service extends Requests {
  readonly port: number
  /** The target of a read with a long answer. */
  readonly large: string
  readonly ownShapes: Readonly<Record<string, readonly Shape[]>>
  /** The possible codes of problems, by their status; an answer with another has no body. */
  readonly codes: Readonly<Record<number, readonly string[]>>
  /** Expects what all answers have in common. */
  expectWhole(answer: string): void
  /** Holds the next valid write until the returned function is called. */
  hold(): () => void
  /** How many valid writes have reached the part behind the service. */
  writes(): number
  /** The messages that were logged as warnings. */
  warnings(): readonly string[]
  /** Expects that no forbidden write was carried out, and that no unexpected error was logged. */
  expectUnharmed(): Promise<void>
  stop(): Promise<void>
}

export type StartService = (limits?: Partial<ConnectionLimits>) => Promise<Service>

const codes = {
  400: ['malformed_request', 'invalid_body'],
  401: ['unauthorized'],
  405: ['method_not_allowed'],
  431: ['headers_too_large'],
}

async function controlApi(connections: Partial<ConnectionLimits> = {}): Promise<Service> {
  // So few clients that a failed handshake which still counts as a client is noticed.
  const server = await nodeServer({ maxClients: 2, server: { connections } })
  const requests = requestsOf({
    key: suiteKey,
    keyed: '/players',
    good: '/rendering?fps=7',
    bad: '/rendering?fps=66',
    readsBody: '/newgame',
  })
  return {
    ...requests,
    port: server.port,
    large: '/docs/swagger-ui-bundle.js',
    ownShapes: { 'own:': controlShapes(requests), 'an upgrade': upgradeShapes(requests) },
    codes: {
      ...codes,
      403: ['origin_not_allowed'],
      414: ['uri_too_long'],
      426: ['upgrade_required'],
    },
    expectWhole(answer) {
      if (answer.startsWith('HTTP/1.1 101')) return
      expect(answer).toMatch(/^x-request-id: \S+\r$/im)
      expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
    },
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
  const validation = vi.spyOn(platform, 'validation')
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
      expect(validation).not.toHaveBeenCalled()
      const levels = setting.lines.map((line) => JSON.parse(line).level)
      expect(levels).not.toContain('error')
      expect(setting.lines.join()).not.toContain(requests.key)
    },
    stop: close,
  }
}

export const services: readonly (readonly [string, StartService])[] = [
  ['the control API', controlApi],
  ['the ticket service', ticketService],
]
