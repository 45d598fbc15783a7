/**
 * Named keys at both addresses of one farm: its own port, and the edge to which it is linked
 * (docs/keys-and-records.md).
 */
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FarmLink } from '../../bridges/linked/farm-end/dial.ts'
import type { NamedKey } from '../../lib/keys.ts'
import { digestOf } from '../../lib/keys.ts'
import { openAuthenticated } from '../contract/chat-client.ts'
import { makeKey, revoke } from '../contract/http/made-key.ts'
import { expectSilenceAfter } from '../contract/lost-scope.ts'
import { askWithKey } from '../contract/request.ts'
import { memoryFarm } from '../records/memory-records.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { edgeServer, linkFarm, linkKey } from './edge-server.ts'

const ended = { code: 1008, reason: 'The key is no longer valid' }

let link: FarmLink | undefined

/** Opens the link, and waits until the edge has accepted the farm's first frames. */
async function openLink() {
  link = linkFarm(edge.bridge, edge.url, linkKey, {
    records: farm.records.of('edge'),
    keys: farm.keys,
  })
  await eventually(() => expect(link?.isOpen).toBe(true))
}

const edge = await edgeServer()
await edge.link.close()
const farm = await memoryFarm('the API_KEY of the farm itself')
const port = await nodeServer({
  key: 'the API_KEY of the farm itself',
  server: { records: farm.records.of('local'), keys: farm.keys },
})
await openLink()
afterAll(async () => {
  await link?.close()
  await port?.stop()
  await edge?.stop()
})

const addresses = () => [port, edge] as const
const statusAt = async (address: { url: string }, key: string) =>
  (await askWithKey({ url: address.url, key }, 'GET', '/players')).status
describe.each([
  ["the farm's own port", 0],
  ['the edge', 1],
] as const)('a key that is made at %s', (_name, at) => {
  test('is valid at both addresses, and its revocation at the other one closes its sockets at both', async () => {
    const address = addresses()[at]
    const other = addresses()[1 - at] ?? address
    const { id, key } = await makeKey(address, 'read')
    await eventually(async () =>
      expect([await statusAt(address, key), await statusAt(other, key)]).toEqual([200, 200]),
    )
    const sockets = [await openAuthenticated({ ...address, key }), await openAuthenticated({ ...other, key })]
    await revoke(other, { id })
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([ended, ended])
    expect([await statusAt(address, key), await statusAt(other, key)]).toEqual([401, 401])
  })
})

describe('while the farm is offline', () => {
  const offline = async () => {
    await link?.close()
    onTestFinished(async () => {
      if (link?.isOpen !== true) await openLink()
    })
  }

  test('the edge accepts the keys that the farm has sent, and refuses all others', async () => {
    const reported = await makeKey(edge, 'admin')
    await offline()
    const untold = await makeKey(port, 'admin')
    expect([await statusAt(edge, reported.key), await statusAt(edge, untold.key)]).toEqual([503, 401])
    await openLink()
    await eventually(async () => expect(await statusAt(edge, untold.key)).toBe(200))
  })

  test('a key that is revoked at the farm is valid at the edge until the link is open again; then its sockets are closed', async () => {
    const { id, key } = await makeKey(edge, 'chat')
    const bot = await openAuthenticated({ ...edge, key }, { since: 0 })
    await offline()
    await revoke(port, { id })
    await bot.settled()
    await openLink()
    expect(await bot.closed).toEqual(ended)
  })
})

test('when a key expires the edge closes its sockets and refuses it, without a message from the farm', async () => {
  await link?.close()
  const key = `fg_00000000000a_${'x'.repeat(43)}`
  const expiring: NamedKey = {
    id: '00000000000a',
    name: 'for a moment',
    scopes: ['read'],
    digest: digestOf(key),
    expiresAt: Date.now() + 3000,
  }
  const once = linkFarm(edge.bridge, edge.url, linkKey, {
    records: farm.records.of('edge'),
    keys: { named: [expiring], onChange: () => () => undefined },
  })
  onTestFinished(async () => {
    await once.close()
    await openLink()
  })
  await eventually(async () => expect(await statusAt(edge, key)).toBe(200))
  const client = await openAuthenticated({ ...edge, key })
  expect(await client.closed).toEqual(ended)
  expect(Date.now()).toBeGreaterThanOrEqual(expiring.expiresAt ?? Number.POSITIVE_INFINITY)
  expect(await statusAt(edge, key)).toBe(401)
})

test('when a key loses read its sockets at the edge receive nothing more and stay, and its long polls end with 403', async () => {
  await link?.close()
  const key = `fg_00000000000b_${'x'.repeat(43)}`
  const keyOf = (scope: 'read' | 'control'): NamedKey => ({
    id: '00000000000b',
    name: 'a key',
    scopes: [scope],
    digest: digestOf(key),
  })
  const reported = { named: [keyOf('read')], listeners: new Set<() => void>() }
  const once = linkFarm(edge.bridge, edge.url, linkKey, {
    records: farm.records.of('edge'),
    keys: {
      get named() {
        return reported.named
      },
      onChange(listener) {
        reported.listeners.add(listener)
        return () => reported.listeners.delete(listener)
      },
    },
  })
  onTestFinished(async () => {
    await once.close()
    await openLink()
  })
  await eventually(async () => expect(await statusAt(edge, key)).toBe(200))
  await expectSilenceAfter(
    { ...edge, key },
    edge,
    () => {
      reported.named = [keyOf('control')]
      for (const listener of reported.listeners) listener()
    },
    // The object of the farm handles requests in the order of their arrival.
    () => statusAt(edge, key),
  )
})
