/**
 * Webhooks (docs/notifications.md) over HTTP: made, listed, tested and deleted, without showing their secrets again.
 */
import { describe, expect, test } from 'vitest'
import { askWithKey, type Reply } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const canary = 'T0P-S3CRET-PATH'
const wish = {
  name: 'Farm channel',
  url: `https://hooks.example:8443/${canary}?token=${canary}`,
  events: ['player.joined', 'player.left'],
  format: 'standard',
}
const make = (server: ServerUnderTest, changes: object = {}) =>
  askWithKey(server, 'POST', '/webhooks', { json: { ...wish, ...changes } })
const made = ({ status, json }: Reply) => {
  expect(status).toBe(201)
  return json as { readonly id: string; readonly secret?: string }
}

export function webhooksContract({ start, origin }: RuntimeUnderTest): void {
  describe('webhooks', () => {
    const server = sharedServer(start)

    test('a new one is answered with its secret, which is shown only this once, and the origin of its URL', async () => {
      const reply = await make(server())
      const { id, secret } = made(reply)
      const record = {
        id: expect.stringMatching(/^[0-9a-f]{12}$/),
        name: 'Farm channel',
        origin: 'https://hooks.example:8443',
        events: wish.events,
        format: 'standard',
        createdAt: expect.stringMatching(/Z$/),
        waiting: 0,
      }
      expect(reply.json).toEqual({ ...record, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) })
      expect(reply.headers.get('cache-control')).toBe('no-store')
      const listed = await askWithKey(server(), 'GET', '/webhooks')
      expect(listed.json).toEqual({ webhooks: expect.arrayContaining([{ ...record, id }]) })
      expect(listed.text).not.toContain(secret)
    })

    test.each(['discord', 'text'])('%s signs nothing, so it has no secret', async (format) => {
      expect(made(await make(server(), { format }))).not.toHaveProperty('secret')
    })

    test('its URL and its secret are in no answer, no row of the audit and no error', async () => {
      const { id, secret = '' } = made(await make(server()))
      const refused = [
        await make(server(), { events: [] }),
        await make(server(), { name: '' }),
        await make(server(), { url: `ftp://hooks.example/${canary}` }),
        await make(server(), { url: `https://user:${canary}@hooks.example/` }),
        await make(server(), { url: `https://hooks.example/#${canary}` }),
      ]
      for (const reply of refused) expect(reply.status).toBe(400)
      await askWithKey(server(), 'POST', `/webhooks/test?id=${id}`)
      const shown = [
        ...refused,
        await askWithKey(server(), 'GET', '/webhooks'),
        await askWithKey(server(), 'GET', `/webhooks/deliveries?id=${id}`),
        await askWithKey(server(), 'GET', '/audit?limit=500'),
        await askWithKey(server(), 'GET', '/metrics'),
      ].map(({ text }) => text)
      for (const text of shown) {
        expect(text).not.toContain(canary)
        expect(text).not.toContain(secret)
      }
      expect(shown.at(-2)).toContain('"origin":"https://hooks.example:8443"')
      expect(shown.at(-2)).toContain(`"origin":"${origin}"`)
    })

    test('a test is among the deliveries before it is sent, and can be sent again', async () => {
      const { id } = made(await make(server()))
      const sent = await askWithKey(server(), 'POST', `/webhooks/test?id=${id}`)
      const { deliveryId } = sent.json as { readonly deliveryId: string }
      const page = await askWithKey(server(), 'GET', `/webhooks/deliveries?id=${id}`)
      expect(page.json).toMatchObject({ deliveries: [{ id: deliveryId, event: 'test', tries: 0 }] })
      const again = await askWithKey(server(), 'POST', `/webhooks/replay?deliveryId=${deliveryId}`)
      expect(again.json).toEqual({ success: true, message: `Delivery ${deliveryId} is being sent` })
    })

    test('deliveries are in pages, newest first', async () => {
      const { id } = made(await make(server()))
      for (let sent = 0; sent < 3; sent += 1) await askWithKey(server(), 'POST', `/webhooks/test?id=${id}`)
      const pageOf = async (query: string) => {
        const { json: page } = await askWithKey(server(), 'GET', `/webhooks/deliveries?id=${id}&${query}`)
        return page as { readonly deliveries: readonly { readonly id: string }[]; readonly next?: string }
      }
      const first = await pageOf('limit=2')
      const second = await pageOf(`limit=2&before=${first.next}`)
      const ids = [...first.deliveries, ...second.deliveries].map((one) => one.id)
      expect(ids).toEqual(ids.toSorted().reverse())
      expect([ids.length, second.next]).toEqual([3, undefined])
    })
  })
}
