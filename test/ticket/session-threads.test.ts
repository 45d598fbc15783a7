/** The session in a thread, with threads that the test drives. */
import { EventEmitter } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { downloadDisabled } from '../../ticket/download-port.ts'
import { PlatformError } from '../../ticket/errors.ts'
import { initialState, type PlatformPort, type SessionState } from '../../ticket/platform-port.ts'
import { remoteSession } from '../../ticket/session/remote-session.ts'
import type { SessionListener, SessionThreadCalls } from '../../ticket/session/thread-calls.ts'
import { threadRpc } from '../../ticket/thread-rpc.ts'
import { eventually } from '../wait.ts'
import { stillClock } from './fake-platform.ts'
import { keptLog } from './kept-log.ts'
import { configOf } from './setting.ts'

afterEach(() => void vi.useRealTimers())

const start = { config: configOf({}), pretty: false, colours: false }
const loggedOn: SessionState = { ...initialState, phase: 'logged_on', reason: undefined, session: 1 }

/** A thread whose far side the test controls. */
function fakeThread(calls: Partial<SessionThreadCalls>) {
  const far = new EventEmitter()
  const near = new EventEmitter()
  let terminated = 0
  const thread = Object.assign(near, {
    postMessage: (message: unknown) => void far.emit('message', message),
    async terminate() {
      terminated += 1
    },
  })
  const unanswered = () => new Promise<never>(() => undefined)
  const listener = threadRpc<SessionListener, SessionThreadCalls>(
    Object.assign(far, { postMessage: (message: unknown) => void near.emit('message', message) }),
    {
      requestTicket: unanswered,
      createLobby: unanswered,
      setLobby: unanswered,
      leaveLobby: unanswered,
      renewToken: unanswered,
      repairGame: unanswered,
      setupStatus: unanswered,
      beginSignIn: unanswered,
      retryDownload: unanswered,
      finishRenewal: async () => undefined,
      close: async () => undefined,
      ...calls,
    },
    ['changed'],
  )
  return {
    thread,
    async report(state: SessionState) {
      await listener.changed(state, downloadDisabled)
      await new Promise((resolve) => setImmediate(resolve))
    },
    end: () => void near.emit('exit', 1),
    terminations: () => terminated,
  }
}

function session(calls: Partial<SessionThreadCalls> = {}) {
  const clock = stillClock()
  const log = keptLog()
  const threads: ReturnType<typeof fakeThread>[] = []
  const states: SessionState[] = []
  const port = remoteSession(start, log, clock, (given) => {
    expect(given).toBe(start)
    const made = fakeThread(calls)
    threads.push(made)
    return made.thread
  })
  port.onChange((state) => void states.push(state))
  const newest = () => {
    const thread = threads.at(-1)
    if (thread === undefined) throw new Error('no thread was started')
    return thread
  }
  return { ...port, clock, lines: log.lines, threads, newest, states }
}

test("the thread's messages reach the listeners, until they are removed", async () => {
  const { state, downloadStatus, newest, states, onChange } = session()
  const heard: SessionState[] = []
  const remove = onChange((next) => void heard.push(next))
  await newest().report(loggedOn)
  remove()
  await newest().report({ ...loggedOn, tokenDaysLeft: 12 })
  expect(heard).toEqual([loggedOn])
  expect(states).toEqual([loggedOn, { ...loggedOn, tokenDaysLeft: 12 }])
  expect(state().tokenDaysLeft).toBe(12)
  expect(downloadStatus().phase).toBe('disabled')
})

test('requests are answered by the thread, with their errors', async () => {
  const asked: unknown[] = []
  const settings = { maxMembers: 4, metadata: {} }
  const { requestTicket, createLobby, setLobby, leaveLobby } = session({
    requestTicket: async () => ({ bytes: Buffer.from('ticket'), steamId: '7' }),
    async createLobby(given) {
      asked.push(given)
      return 8n
    },
    async setLobby(id, given) {
      asked.push(id, given)
      throw new PlatformError('refused', 'NoMatch')
    },
    async leaveLobby(id) {
      asked.push(id)
    },
  })
  expect((await requestTicket()).steamId).toBe('7')
  expect(await createLobby(settings)).toBe(8n)
  await expect(setLobby(9n, settings)).rejects.toMatchObject({ name: 'PlatformError', result: 'NoMatch' })
  await leaveLobby(10n)
  expect(asked).toEqual([settings, 9n, settings, 10n])
})

test('when the thread ends, its requests and later ones end as not logged in, and the state says when the next one starts', async () => {
  const { requestTicket, newest, state, lines, clock } = session()
  await clock.advance(700)
  await newest().report(loggedOn)
  const under = requestTicket()
  newest().thread.emit('error', new Error('out of memory'))
  newest().end()
  await expect(under).rejects.toMatchObject({ name: 'PlatformError', kind: 'not_logged_in' })
  await expect(requestTicket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  expect(lines).toEqual([['error', 'The session thread failed: out of memory']])
  expect(state()).toEqual({
    ...initialState,
    phase: 'waiting',
    reason: 'the session thread failed',
    retryAt: 700 + 750,
    session: 1,
  })
})

test('a thread that ends is restarted, after waits that grow from 1 s to 5 min', async () => {
  const { newest, threads, clock, state } = session()
  for (const [round, upper] of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].entries()) {
    newest().end()
    await clock.advance(upper * 750 - 1)
    expect(threads).toHaveLength(round + 1)
    await clock.advance(1)
    expect(threads).toHaveLength(round + 2)
    expect(state()).toEqual(initialState)
  }
})

test('sessions are counted over all threads, because a lower number would count as an old session', async () => {
  const { newest, clock, state } = session()
  await newest().report({ ...loggedOn, session: 3 })
  newest().end()
  await clock.advance(750)
  expect(state()).toEqual({ ...initialState, session: 3 })
  await newest().report(loggedOn)
  expect(state().session).toBe(4)
})

test('close ends the thread once, and no other is started', async () => {
  let closes = 0
  const { close, newest, threads, clock, states } = session({
    async close() {
      closes += 1
    },
  })
  await Promise.all([close(), close()])
  expect(closes).toBe(1)
  expect(newest().terminations()).toBe(1)
  newest().end()
  await clock.advance(300_000)
  expect(threads).toHaveLength(1)
  expect(states).toEqual([])
})

test('close without a running thread starts none either', async () => {
  const { close, newest, threads, clock } = session()
  newest().end()
  await close()
  await clock.advance(300_000)
  expect(threads).toHaveLength(1)
})

test('a thread that does not close is ended after 2 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { close, newest } = session({ close: () => new Promise(() => undefined) })
  const closed = close()
  await vi.advanceTimersByTimeAsync(1999)
  expect(newest().terminations()).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  await closed
  expect(newest().terminations()).toBe(1)
})

let running: PlatformPort | undefined
afterEach(() => running?.close())

test('requests and states are passed between the threads', async () => {
  const config = configOf({ SESSION_DIR: '/nonexistent/session', LOG_LEVEL: 'silent' })
  running = remoteSession({ config, pretty: false, colours: false }, keptLog(), systemClock)
  expect(running.state().phase).toBe('starting')
  // Not `disabled` while the state is unknown: a start script would take that as final.
  expect(running.downloadStatus().phase).toBe('pending')
  await eventually(() => running?.state().phase === 'login_needed')
  await expect(running.createLobby({ maxMembers: 1, metadata: {} })).rejects.toMatchObject({
    name: 'PlatformError',
    kind: 'not_logged_in',
  })
  await expect(running.setLobby(1n, { maxMembers: 1, metadata: {} })).rejects.toMatchObject({
    kind: 'not_logged_in',
  })
  await expect(running.leaveLobby(1n)).rejects.toMatchObject({ kind: 'not_logged_in' })
  expect(running.downloadStatus().phase).toMatch(/pending|skipped/)
  await Promise.all([running.close(), running.close()])
})
