/** Which calls are retried, and when. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { routesOf } from '../../client/call.ts'
import { type Calls, connect } from '../../client/index.ts'
import { routeTexts } from '../../client/routes.ts'
import { answer, cut, failureOf, offline, scripted } from './scripted-server.ts'

const players = { players: [], version: 1 }

describe('a read', () => {
  test('that can succeed a little later is retried, up to two times', async () => {
    const { farm, requests } = await scripted(answer(503, offline), cut, answer(200, players))
    expect(await farm.players()).toEqual(players)
    expect(requests).toHaveLength(3)
  })

  test('fails with the last error after two retries', async () => {
    const { farm, requests } = await scripted(answer(503, offline, { 'x-request-id': 'r-1' }))
    expect(await failureOf(farm.players())).toMatchObject({
      name: 'FarmgateError',
      code: 'game_unavailable',
      status: 503,
      retry: true,
      requestId: 'r-1',
      message: offline.error,
    })
    expect(requests).toHaveLength(3)
  })

  test('is not retried when Retry-After is longer than its time', async () => {
    const { farm, requests } = await scripted(
      answer(429, { ...offline, code: 'rate_limited' }, { 'retry-after': '60' }),
    )
    expect(await failureOf(farm.players())).toMatchObject({ code: 'rate_limited', retryAfter: 60 })
    expect(requests).toHaveLength(1)
  })

  test('is not retried when the error would be the same again', async () => {
    const { farm, requests } = await scripted(
      answer(404, { success: false, error: 'No such path', code: 'not_found' }),
    )
    expect(await failureOf(farm.players())).toMatchObject({ code: 'not_found', retry: false })
    expect(requests).toHaveLength(1)
  })

  test.each([429, 502, 503, 504])(
    'that a proxy answers by %i with its own page is retried',
    async (status) => {
      const { farm, requests } = await scripted(
        answer(status, '<html>', { 'retry-after': '0' }),
        answer(200, players),
      )
      expect(await farm.players()).toEqual(players)
      expect(requests).toHaveLength(2)
    },
  )
})

describe('with a server that always says "retry"', () => {
  test.each([...routesOf(routeTexts)])(
    '%s is sent as often as a read, or once when it is a change',
    async (name, { method }) => {
      const { farm, requests } = await scripted(answer(503, offline, { 'retry-after': '0' }))
      const call = farm[name as keyof Calls] as (parameters: object) => Promise<unknown>
      expect(await failureOf(call({}))).toMatchObject({ code: 'game_unavailable' })
      expect(requests).toHaveLength(method === 'GET' ? 3 : 1)
    },
  )
})

/** A farm on a stopped clock; its first answer has these headers. */
function patient(headers: Record<string, string>) {
  vi.useFakeTimers({ now: new Date('2026-11-22T12:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  let requests = 0
  const farm = connect({
    url: 'http://farm.example',
    fetch: async () => {
      requests += 1
      if (requests > 1) return Response.json(players)
      return Response.json(offline, { status: 503, headers })
    },
  })
  const answered = farm.players()
  return {
    async sentAgainAfter(milliseconds: number) {
      if (milliseconds > 0) {
        await vi.advanceTimersByTimeAsync(milliseconds - 1)
        expect(requests).toBe(1)
      }
      await vi.advanceTimersByTimeAsync(1)
      expect(requests).toBe(2)
      expect(await answered).toEqual(players)
    },
  }
}

describe('a read is sent again', () => {
  test('after the seconds of Retry-After', () => patient({ 'retry-after': '7' }).sentAgainAfter(7_000))

  test('at the date of Retry-After, by the clock of the server', () =>
    patient({
      date: 'Sun, 22 Nov 2026 09:30:00 GMT',
      'retry-after': 'Sun, 22 Nov 2026 09:30:05 GMT',
    }).sentAgainAfter(5_000))

  test("at the date of Retry-After, by its own clock where the server's answer has no Date", () =>
    patient({ 'retry-after': 'Sun, 22 Nov 2026 12:00:03 GMT' }).sentAgainAfter(3_000))

  test('at once when the date of Retry-After is past', () =>
    patient({ 'retry-after': 'Sun, 22 Nov 2026 11:00:00 GMT' }).sentAgainAfter(0))

  test.each([
    ['the shortest', 0, 125],
    ['the longest', 1, 250],
  ])('after a pause with jitter where Retry-After is missing or is neither: %s', async (_, random, pause) => {
    const mocked = vi.spyOn(Math, 'random').mockReturnValue(random)
    onTestFinished(() => mocked.mockRestore())
    await patient({ 'retry-after': 'soon' }).sentAgainAfter(pause)
    await patient({}).sentAgainAfter(pause)
  })
})
