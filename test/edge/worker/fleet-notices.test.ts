/** The webhook of a fleet (docs/notifications.md). */
import { reset, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Trouble } from '../../../handlers/fleet.ts'
import type { FleetObject } from '../../../runtime/edge/fleet-object.ts'
import { type FleetNotices, fleetNotices } from '../../../services/fleet/notices.ts'
import type { Message } from '../../../services/webhooks/message.ts'

import { eventually } from '../../wait.ts'
import { ask, create, fleetKey, openLink } from './fleet.ts'

afterEach(reset)
afterEach(() => vi.restoreAllMocks())
afterEach(() => void vi.useRealTimers())

const secret = new Uint8Array(32).fill(7)
const minute = 60_000

/** The notices of a fleet whose farms, clock and receiver the test sets, with the storage of a real object. */
const withFleet = (
  run: (fleet: {
    farms: Record<string, Trouble[]>
    readonly posts: Message[]
    receives: boolean
    notices(): FleetNotices
    later(milliseconds: number): void
    now(): number
  }) => Promise<void>,
) =>
  runInDurableObject(env.FLEET.getByName('fleet'), async (_object, { storage }) => {
    let now = Date.UTC(2026, 10, 21)
    const fleet = {
      farms: {} as Record<string, Trouble[]>,
      posts: [] as Message[],
      receives: true,
      now: () => now,
      later(milliseconds: number) {
        now += milliseconds
      },
      /** As after each start of the object. */
      notices: () =>
        fleetNotices({
          storage,
          secret,
          farms: () => Object.entries(fleet.farms).map(([farm, trouble]) => ({ farm, trouble })),
          async post(message) {
            fleet.posts.push(message)
            return fleet.receives
          },
          now: () => now,
          random: () => 1,
        }),
    }
    await run(fleet)
  })
const bodies = (posts: readonly Message[]) =>
  posts.map(({ body }) => {
    const { type, data } = JSON.parse(body)
    return [type, data]
  })

test('a change of a trouble that lasts two minutes is sent once: farm.trouble with all codes, farm.recovered at its end', () =>
  withFleet(async (fleet) => {
    const notices = fleet.notices()
    fleet.farms = { clover: ['offline'], daisy: [], rose: ['never_linked'] }
    expect(notices.reported()).toBe(true)
    expect(notices.nextAt).toBe(fleet.now() + 2 * minute)
    await notices.run()
    expect(fleet.posts).toEqual([])
    fleet.later(2 * minute)
    await notices.run()
    await notices.run()
    expect(bodies(fleet.posts)).toEqual([['farm.trouble', { farm: 'clover', trouble: ['offline'] }]])
    fleet.farms = { clover: [], daisy: ['backup_old', 'version_old'] }
    notices.reported()
    fleet.later(2 * minute)
    await notices.run()
    expect(bodies(fleet.posts).slice(1)).toEqual([
      ['farm.recovered', { farm: 'clover', trouble: [] }],
      ['farm.trouble', { farm: 'daisy', trouble: ['backup_old', 'version_old'] }],
    ])
  }))

test('trouble that ends within two minutes is not sent', () =>
  withFleet(async (fleet) => {
    const notices = fleet.notices()
    fleet.farms = { clover: ['offline'] }
    notices.reported()
    fleet.later(minute)
    fleet.farms = { clover: [] }
    expect(notices.reported()).toBe(false)
    fleet.later(minute)
    await notices.run()
    expect(fleet.posts).toEqual([])
  }))

test('trouble that comes with time alone is sent within an hour', () =>
  withFleet(async (fleet) => {
    const notices = fleet.notices()
    fleet.farms = { clover: [] }
    notices.reported()
    fleet.later(2 * minute)
    await notices.run()
    fleet.farms = { clover: ['token_expiring'] }
    expect(notices.nextAt).toBe(fleet.now() + 60 * minute)
    fleet.later(60 * minute)
    await notices.run()
    expect(bodies(fleet.posts)).toEqual([['farm.trouble', { farm: 'clover', trouble: ['token_expiring'] }]])
  }))

test('a notice that does not arrive is sent again after a restart of the object, with growing waits, for a day', () =>
  withFleet(async (fleet) => {
    fleet.receives = false
    fleet.farms = { clover: ['offline'] }
    fleet.notices().reported()
    fleet.later(2 * minute)
    await fleet.notices().run()
    const notices = fleet.notices()
    expect(notices.nextAt).toBe(fleet.now() + 20_000)
    fleet.later(20_000)
    await notices.run()
    expect(notices.nextAt).toBe(fleet.now() + 40_000)
    expect(new Set(fleet.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    fleet.later(25 * 60 * minute)
    await notices.run()
    const sent = fleet.posts.length
    fleet.later(2 * 60 * minute)
    await notices.run()
    expect(fleet.posts).toHaveLength(sent)
  }))

test('a deleted farm is forgotten: one of its name begins without trouble', () =>
  withFleet(async (fleet) => {
    const notices = fleet.notices()
    const check = async (farms: Record<string, Trouble[]>) => {
      fleet.farms = farms
      notices.reported()
      fleet.later(2 * minute)
      await notices.run()
    }
    await check({ clover: ['offline'] })
    await check({})
    await check({ clover: [] })
    expect(bodies(fleet.posts)).toEqual([['farm.trouble', { farm: 'clover', trouble: ['offline'] }]])
  }))

test('each notice is signed as the webhooks of farms are', () =>
  withFleet(async (fleet) => {
    const notices = fleet.notices()
    fleet.farms = { clover: ['offline'] }
    notices.reported()
    fleet.later(2 * minute)
    await notices.run()
    const [{ headers = {}, body = '' } = {}] = fleet.posts
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', secret, hmac, false, ['verify'])
    const [, signature = ''] = headers['webhook-signature']?.split(',') ?? []
    const bytes = Uint8Array.from(atob(signature), (one) => one.charCodeAt(0))
    expect(await crypto.subtle.verify('HMAC', key, bytes, new TextEncoder().encode(text))).toBe(true)
  }))

test('a farm that stays offline notifies FLEET_WEBHOOK_URL', async () => {
  const posts: { readonly url: unknown; readonly body: unknown }[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    posts.push({ url, body: init?.body })
    return new Response()
  })
  const webhook = {
    FLEET_WEBHOOK_URL: 'https://hook.example/fleet',
    FLEET_WEBHOOK_SECRET: `whsec_${'a'.repeat(44)}`,
  }
  Object.assign(env, webhook)
  onTestFinished(() => {
    for (const name of Object.keys(webhook)) Reflect.deleteProperty(env, name)
  })
  const { ws } = await openLink('clover', await create('clover'))
  const isLinked = async () => (await (await ask('GET', '/farms', fleetKey)).text()).includes('"linked":true')
  await eventually(async () => expect(await isLinked()).toBe(true))
  ws.close(1001, 'Farm is stopping')
  await eventually(async () => expect(await isLinked()).toBe(false))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 121_000 })
  await runInDurableObject(env.FLEET.getByName('fleet'), (object: FleetObject) => object.alarm())
  expect(posts).toEqual([
    {
      url: webhook.FLEET_WEBHOOK_URL,
      body: expect.stringContaining('{"farm":"clover","trouble":["offline"]}'),
    },
  ])
})
