/** Schedules over HTTP: made, listed, changed, run and deleted. Their clock is tested in `test/services/schedules/`. */
import { describe, expect, test } from 'vitest'
import { askWithKey, type Reply } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const wanted = { name: 'Slow evenings', cron: '0 5 * * *', do: { action: 'clock_speed', multiplier: 2 } }
const make = (server: ServerUnderTest, changes: object = {}) =>
  askWithKey(server, 'POST', '/schedules', { json: { ...wanted, ...changes } })
const made = ({ status, json }: Reply) => {
  expect(status).toBe(201)
  return json as { readonly id: string; readonly nextAt: string }
}

export function schedulesContract({ start }: RuntimeUnderTest): void {
  describe('schedules', () => {
    const server = sharedServer(start)

    test('a new one is answered with its next time, and listed', async () => {
      const reply = await make(server(), { timeZone: 'Asia/Kathmandu' })
      const { nextAt } = made(reply)
      const record = {
        id: expect.stringMatching(/^[0-9a-f]{12}$/),
        ...wanted,
        timeZone: 'Asia/Kathmandu',
        onlyWhenEmpty: false,
        warnMinutes: [],
        enabled: true,
        nextAt: expect.stringMatching(/T23:15:00\.000Z$/),
      }
      expect(reply.json).toEqual(record)
      expect(Date.parse(nextAt) - Date.now()).toBeLessThanOrEqual(86_400_000)
      const listed = await askWithKey(server(), 'GET', '/schedules')
      expect(listed.json).toEqual({ schedules: expect.arrayContaining([reply.json]) })
    })

    test.each([
      [{ action: 'restart', when: 'empty', backup: true }, [10, 5, 1]],
      [{ action: 'stop', reason: 'Night' }, [10, 5, 1]],
      [{ action: 'start' }, []],
      [{ action: 'backup' }, []],
      [{ action: 'announce', message: 'Good night' }, []],
      [{ action: 'reload' }, []],
      [{ action: 'clock_speed', multiplier: 0.5 }, []],
      [{ action: 'rendering', fps: 0 }, []],
    ])('%j can be scheduled, with the warnings of its endpoint: %j', async (action, warnMinutes) => {
      expect((await make(server(), { do: action })).json).toMatchObject({ do: action, warnMinutes })
    })

    test('a change keeps what it does not name; a disabled one has no next time', async () => {
      const { id } = made(await make(server()))
      const path = `/schedules?id=${id}`
      const disabled = await askWithKey(server(), 'PATCH', path, { json: { enabled: false } })
      expect([disabled.status, disabled.json]).toMatchObject([
        200,
        { ...wanted, enabled: false, nextAt: null },
      ])
      const changed = await askWithKey(server(), 'PATCH', path, {
        json: { enabled: true, cron: '30 6 * * *' },
      })
      expect(changed.json).toMatchObject({
        id,
        name: wanted.name,
        cron: '30 6 * * *',
        nextAt: expect.stringMatching(/T06:30:00\.000Z$/),
      })
    })

    test('a manual run acts at once, as a row of the audit with the origin schedule, and answers its outcome', async () => {
      const { id } = made(await make(server()))
      const run = await askWithKey(server(), 'POST', `/schedules/run?id=${id}`)
      const last = { at: expect.stringMatching(/Z$/), outcome: 'succeeded' }
      expect([run.status, run.json]).toEqual([200, { last }])
      const { json: listed } = await askWithKey(server(), 'GET', '/schedules')
      expect(listed).toEqual({ schedules: expect.arrayContaining([expect.objectContaining({ id, last })]) })
      const { json: audit } = await askWithKey(server(), 'GET', '/audit?action=setClockSpeed&limit=1')
      expect(audit).toMatchObject({
        entries: [{ origin: 'schedule', key: { id: 'api_key' }, parameters: { multiplier: '2' } }],
      })
    })
  })
}
