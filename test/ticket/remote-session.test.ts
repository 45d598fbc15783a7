import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { makeLog } from '../../ticket/log.ts'
import type { PlatformPort } from '../../ticket/platform-port.ts'
import { makeSecrets } from '../../ticket/secrets.ts'
import { remoteSession } from '../../ticket/session/remote-session.ts'
import { eventually } from '../wait.ts'
import { configOf } from './setting.ts'

const lines: string[] = []
const log = makeLog({
  level: 'info',
  pretty: false,
  colours: false,
  secrets: makeSecrets(),
  write: (line) => void lines.push(line),
})
let session: PlatformPort | undefined
afterEach(() => session?.close())

test('a session thread that ends is restarted, after ever longer waits, and the service continues', async () => {
  const waits: number[] = []
  // A proxy that is not an address: the thread throws before it can send anything.
  const config = { ...configOf({}), proxy: 'no address' }
  session = remoteSession({ config, pretty: false, colours: false }, log, {
    ...systemClock,
    after(milliseconds, run) {
      waits.push(milliseconds)
      return systemClock.after(5, run)
    },
  })
  await eventually(() => waits.length >= 3)
  expect(lines.filter((line) => line.includes('The session thread failed')).length).toBeGreaterThanOrEqual(3)
  for (const [round, upper] of [1000, 2000, 4000].entries()) {
    expect(waits[round]).toBeGreaterThanOrEqual(upper / 2)
    expect(waits[round]).toBeLessThanOrEqual(upper)
  }
  expect(session.state()).toMatchObject({
    phase: expect.stringMatching(/starting|waiting/),
    steamId: undefined,
  })
  await expect(session.requestTicket()).rejects.toMatchObject({ kind: 'not_logged_in' })
})

test('requests and states are passed between the threads', async () => {
  const config = configOf({ SESSION_DIR: '/nonexistent/session', LOG_LEVEL: 'silent' })
  session = remoteSession({ config, pretty: false, colours: false }, log, systemClock)
  expect(session.state().phase).toBe('starting')
  // Not `disabled` while the state is unknown: a start script would take that as final.
  expect(session.downloadStatus().phase).toBe('pending')
  await eventually(() => session?.state().phase === 'login_needed')
  await expect(session.createLobby({ maxMembers: 1, metadata: {} })).rejects.toMatchObject({
    name: 'PlatformError',
    kind: 'not_logged_in',
  })
  await expect(session.setLobby(1n, { maxMembers: 1, metadata: {} })).rejects.toMatchObject({
    kind: 'not_logged_in',
  })
  await expect(session.leaveLobby(1n)).rejects.toMatchObject({ kind: 'not_logged_in' })
  expect(session.downloadStatus().phase).toMatch(/pending|skipped/)
  await Promise.all([session.close(), session.close()])
})
