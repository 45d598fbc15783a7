import { afterAll, afterEach, beforeEach } from 'vitest'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { TicketConfig } from '../../ticket/config.ts'
import type { PlatformPort } from '../../ticket/platform-port.ts'
import { keepSession } from '../../ticket/session/keep-session.ts'
import type { RetryDelays } from '../../ticket/session/retry-delays.ts'
import { type SessionStore, sessionStore } from '../../ticket/session/session-file.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { eventually } from '../wait.ts'
import { sessionWith } from './saved-sessions.ts'
import { junimo, makeSetting, type Setting } from './setting.ts'

/** The waits of the session keeper, short enough for tests. */
const quick: RetryDelays = { first: 20, max: 80, afterRateLimit: 60_000, lookForLogin: 20, stableAfter: 0 }

interface KeepOptions {
  readonly environment?: Record<string, string>
  /** Days that the saved token is valid for; null for no saved session. */
  readonly days?: number | null
  readonly clock?: Clock
  readonly logonTimeout?: number
}

/** A session as `serve` keeps it, in this process. */
interface Kept {
  readonly session: PlatformPort
  readonly config: TicketConfig
  /** The token that was saved before the start. */
  readonly token: string
  readonly store: SessionStore
  savedToken(): Promise<string | undefined>
}

/** @returns a function that keeps a session with a saved token, and one that ends all of them. */
function sessionsOf(setting: Setting) {
  const begun: PlatformPort[] = []

  function start(
    config: TicketConfig,
    store: SessionStore,
    clock: Clock = systemClock,
    logonTimeout = 20_000,
  ): PlatformPort {
    const context = { ...setting.context(config, { store, clock }), logonTimeout }
    const session = keepSession(context, undefined, quick)
    begun.push(session)
    return session
  }

  async function keep({
    environment = {},
    days = 200,
    clock = systemClock,
    logonTimeout,
  }: KeepOptions = {}): Promise<Kept> {
    const config = setting.config({ PLATFORM_USERNAME: junimo.name, ...environment })
    const token = setting.platform.token(setting.account, days ?? 200)
    const store = sessionStore(config.sessionDir)
    if (days !== null) await store.save(sessionWith(token))
    const session = start(config, store, clock, logonTimeout)
    const savedToken = async () => (await store.load(junimo.name)).session?.refreshToken
    return { session, config, token, store, savedToken }
  }

  return {
    keep,
    start,
    endAll: () => Promise.all(begun.splice(0).map((session) => session.close())),
    /** The log's messages, without their frame. */
    messages: () => setting.lines.map((line): string => JSON.parse(line).msg),
  }
}

/** The Steam of a test file, reset before each test, and the sessions, ended after each. */
export async function sharedSessions() {
  const setting = await makeSetting()
  const sessions = sessionsOf(setting)
  afterAll(() => setting.close())
  beforeEach(() => {
    Object.assign(setting.platform.knobs, defaultKnobs())
    setting.lines.length = 0
  })
  afterEach(() => sessions.endAll())
  return { setting, ...sessions }
}

/** Waits until there is a session. */
export async function on(session: PlatformPort): Promise<void> {
  await eventually(() => session.state().phase === 'logged_on')
}
