/** Schedules over HTTP: made, listed, changed, run and deleted. Their clock is tested in `test/services/schedules/`. */
import { describe, expect, test } from 'vitest'
import { askWithKey, expectProblem, type Reply } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { ownServer, sharedServer } from '../shared-server.ts'
import { makeKey } from './made-key.ts'

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

    test.each([
      ['cron', { cron: '0 5 * *' }],
      ['cron', { cron: '0 5 * * * *' }],
      ['timeZone', { timeZone: 'Europe/Atlantis' }],
      ['timeZone', { timeZone: '+02:00' }],
      ['do.colour', { do: { action: 'announce', message: 'Hello', colour: 'red' } }],
      ['do.multiplier', { do: { action: 'clock_speed', multiplier: 1001 } }],
      ['do.multiplier', { do: { action: 'clock_speed' } }],
      ['do.fps', { do: { action: 'rendering', fps: 1.5 } }],
      ['do.id', { do: { action: 'backup', id: 'x' } }],
      ['do.when', { do: { action: 'restart', when: 'later' } }],
      ['warnMinutes', { warnMinutes: [5] }],
    ])('a wrong %s is refused by its name (%j)', async (parameter, changes) => {
      expectProblem(await make(server(), changes), 400, 'invalid_parameter', { parameter })
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
      const refused = await askWithKey(server(), 'PATCH', path, {
        json: { do: { action: 'rendering', fps: -1 } },
      })
      expectProblem(refused, 400, 'invalid_parameter', { parameter: 'do.fps' })
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

    test('a call that is refused at its time is a failed run with the sentence', async () => {
      const { id } = made(await make(server(), { do: { action: 'start' } }))
      const run = await askWithKey(server(), 'POST', `/schedules/run?id=${id}`)
      expect(run.json).toMatchObject({ last: { outcome: 'failed', detail: 'The game is already running' } })
    })

    test('a schedule whose maker has lost its key is disabled at its next run, and says why', async () => {
      const { id: keyId, key } = await makeKey(server(), 'admin')
      const { id } = made(await make({ ...server(), key }))
      await askWithKey(server(), 'DELETE', `/keys?id=${keyId}`)
      await askWithKey(server(), 'POST', `/schedules/run?id=${id}`)
      const { json: listed } = await askWithKey(server(), 'GET', '/schedules')
      const disabledBecause = expect.stringMatching(/who made this schedule, has no valid key any more$/)
      expect(listed).toEqual({
        schedules: expect.arrayContaining([expect.objectContaining({ id, enabled: false, disabledBecause })]),
      })
    })

    test('a deleted one leaves the list, and an unknown one is 404', async () => {
      const { id } = made(await make(server()))
      const deleted = await askWithKey(server(), 'DELETE', `/schedules?id=${id}`)
      expect(deleted.json).toEqual({ success: true, message: `Schedule ${id} is deleted` })
      for (const reply of [
        await askWithKey(server(), 'DELETE', `/schedules?id=${id}`),
        await askWithKey(server(), 'POST', `/schedules/run?id=${id}`),
        await askWithKey(server(), 'PATCH', `/schedules?id=${id}`, { json: { enabled: true } }),
      ])
        expectProblem(reply, 404, 'schedule_not_found')
    })

    test('reading needs the scope read, every change the scope admin', async () => {
      const { key } = await makeKey(server(), 'read', 'chat', 'control')
      const weak = { ...server(), key }
      expect((await askWithKey(weak, 'GET', '/schedules')).status).toBe(200)
      expectProblem(await make(weak), 403, 'insufficient_scope', { scope: 'admin' })
    })

    test('the maximum is 50', async () => {
      const full = await ownServer(start)
      for (let count = 0; count < 50; count += 1) made(await make(full))
      expectProblem(await make(full), 409, 'too_many_schedules')
    })
  })
}
