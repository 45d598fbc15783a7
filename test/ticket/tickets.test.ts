import { expect, test } from 'vitest'
import { appTicketCache } from '../../ticket/app-ticket-cache.ts'
import { PlatformError } from '../../ticket/errors.ts'
import { fakePlatform, steamId, stillClock } from './fake-platform.ts'

function office() {
  const platform = fakePlatform()
  const clock = stillClock()
  return { platform, clock, tickets: appTicketCache(platform, clock) }
}
const text = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).toString()

test('one request is pending at a time, for any number of callers', async () => {
  const { tickets } = office()
  const all = await Promise.all(Array.from({ length: 1000 }, () => tickets.ticket()))
  expect(tickets.requestCount()).toBe(1)
  expect(new Set(all.map(text)).size).toBe(1)
})

test('a ticket is reused for 10 minutes for the same account', async () => {
  const { tickets, clock } = office()
  expect(await tickets.ticket()).toMatchObject({ source: 'fresh', steamId })
  await clock.advance(599_999)
  expect(await tickets.ticket()).toMatchObject({ source: 'cached', steamId })
  await clock.advance(1)
  expect((await tickets.ticket()).source).toBe('fresh')
})

test.each([-8, 8])(
  'setting the clock by %i h changes neither how long a ticket is reused nor how long a caller waits',
  async (hours) => {
    const { tickets, clock, platform } = office()
    await tickets.ticket()
    clock.set(clock.now() + hours * 3_600_000)
    await clock.advance(599_999)
    expect((await tickets.ticket()).source).toBe('cached')
    await clock.advance(1)
    platform.set({ phase: 'waiting', steamId: undefined, retryAt: clock.monotonic() + 5000 })
    const held = tickets.ticket()
    clock.set(clock.now() + hours * 3_600_000)
    await clock.advance(5000)
    platform.set({ phase: 'logged_on', steamId })
    expect((await held).source).toBe('fresh')
  },
)

test('a ticket is dropped on account change', async () => {
  const { tickets, platform } = office()
  const first = await tickets.ticket()
  platform.set({ steamId: '76561198000000002' })
  const second = await tickets.ticket()
  expect(second).toMatchObject({ source: 'fresh', steamId: '76561198000000002' })
  platform.set({ steamId })
  expect(text(await tickets.ticket())).not.toBe(text(first))
})

test('a kept ticket is served while there is no session', async () => {
  const { tickets, platform } = office()
  await tickets.ticket()
  platform.set({ phase: 'waiting', steamId: undefined, retryAt: 0 })
  expect((await tickets.ticket()).source).toBe('cached')
})

test.each(['starting', 'logging_on'] as const)(
  'during a login (%s) a ticket request waits',
  async (phase) => {
    const { tickets, platform } = office()
    platform.set({ phase, steamId: undefined })
    const held = tickets.ticket()
    platform.set({ phase: 'logging_on' })
    platform.set({ phase: 'logged_on', steamId })
    expect((await held).source).toBe('fresh')
  },
)

test('a request waits up to 25 s', async () => {
  const { tickets, platform, clock } = office()
  platform.set({ phase: 'logging_on', steamId: undefined })
  let answered = false
  const held = tickets.ticket().catch((error: unknown) => {
    answered = true
    return error
  })
  await clock.advance(24_999)
  expect(answered).toBe(false)
  await clock.advance(1)
  expect(await held).toMatchObject({ kind: 'not_logged_in' })
})

test('a request does not wait when no login can be expected in time', async () => {
  const { tickets, platform, clock } = office()
  platform.set({ phase: 'login_needed', steamId: undefined })
  await expect(tickets.ticket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  platform.set({ phase: 'waiting', retryAt: clock.monotonic() + 25_001 })
  await expect(tickets.ticket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  platform.set({ phase: 'waiting', retryAt: clock.monotonic() + 5000 })
  const held = tickets.ticket()
  platform.set({ phase: 'login_needed' })
  await expect(held).rejects.toMatchObject({ kind: 'not_logged_in' })
})

test('a failed request is not kept: the next caller makes a new one', async () => {
  const { tickets, platform } = office()
  const good = platform.ticket
  platform.ticket = () => Promise.reject(new PlatformError('timeout'))
  await expect(tickets.ticket()).rejects.toMatchObject({ kind: 'timeout' })
  platform.ticket = good
  expect((await tickets.ticket()).source).toBe('fresh')
})

test('after a rate limit no request is sent to Steam for a minute', async () => {
  const { tickets, platform, clock } = office()
  const good = platform.ticket
  platform.ticket = () => Promise.reject(new PlatformError('rate_limited', 'RateLimitExceeded'))
  await expect(tickets.ticket()).rejects.toMatchObject({ kind: 'rate_limited' })
  platform.ticket = good
  await expect(tickets.ticket()).rejects.toMatchObject({ kind: 'rate_limited' })
  expect(tickets.requestCount()).toBe(1)
  await clock.advance(60_000)
  expect((await tickets.ticket()).source).toBe('fresh')
})

test('a caller without a key cannot cause repeated requests to Steam: for 10 s it gets the same failure', async () => {
  const { tickets, platform, clock } = office()
  const good = platform.ticket
  platform.ticket = () => Promise.reject(new PlatformError('timeout'))
  await expect(tickets.ticket({ sparing: true })).rejects.toMatchObject({ kind: 'timeout' })
  platform.ticket = good
  await clock.advance(9_999)
  await expect(tickets.ticket({ sparing: true })).rejects.toMatchObject({ kind: 'timeout' })
  expect(tickets.requestCount()).toBe(1)
  await clock.advance(1)
  expect((await tickets.ticket({ sparing: true })).source).toBe('fresh')
})
