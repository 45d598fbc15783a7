import type { Clock } from '../../lib/clock.ts'
import { type DownloadStatus, downloadDisabled, type RepairOutcome } from '../../ticket/download-port.ts'
import {
  type AppTicket,
  initialState,
  type LobbySettings,
  type PlatformPort,
  type SessionState,
  type TokenRenewal,
} from '../../ticket/platform-port.ts'
import type { SetupStatus } from '../../ticket/setup-status.ts'

/** The Steam port as a plain object, for tests of the code that uses it. */
export interface FakePlatform extends PlatformPort {
  /** Changes the state and notifies the listeners. */
  set(state: Partial<SessionState>): void
  download: DownloadStatus
  setup: SetupStatus
  /** Whether the session thread never answers. */
  silent: boolean
  /** Answers of Steam; a test replaces them with its own. */
  ticket: () => Promise<AppTicket>
  lobby: (settings: LobbySettings) => Promise<bigint>
  update: (id: bigint, settings: LobbySettings) => Promise<void>
  renewal: () => Promise<TokenRenewal>
  repair: () => Promise<RepairOutcome>
  /** Lobby requests in order. */
  readonly calls: (readonly [string, ...unknown[]])[]
}

export const steamId = '76561198000000001'

/** @returns a platform that is logged on. */
export function fakePlatform(): FakePlatform {
  let state: SessionState = {
    ...initialState,
    phase: 'logged_on',
    steamId,
    reason: undefined,
    session: 1,
    tokenDaysLeft: 150,
  }
  let made = 0
  let lobbies = 109_775_240_917_483_500n
  const listeners = new Set<(state: SessionState) => void>()
  const calls: (readonly [string, ...unknown[]])[] = []
  const fake: FakePlatform = {
    calls,
    download: downloadDisabled,
    setup: { signIn: { state: 'idle' }, account: undefined, amount: undefined },
    silent: false,
    ticket: async () => ({ bytes: Buffer.from(`ticket ${++made} ++//`), steamId: state.steamId ?? '' }),
    lobby: async () => ++lobbies,
    update: async () => undefined,
    renewal: async () => ({
      outcome: 'renewed',
      error: undefined,
      previousExpiresAt: Date.UTC(2026, 11, 1),
      expiresAt: Date.UTC(2027, 5, 1),
    }),
    repair: async () => ({
      phase: 'completed',
      detail: '1 repaired, 0 downloaded, 2 unchanged',
      files: { repaired: 1, downloaded: 0, unchanged: 2 },
      startedAt: 0,
      finishedAt: 1000,
    }),
    set(next) {
      state = { ...state, ...next }
      for (const listener of listeners) listener(state)
    },
    state: () => state,
    downloadStatus: () => fake.download,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    requestTicket: () => fake.ticket(),
    createLobby(settings) {
      calls.push(['create', settings])
      return fake.lobby(settings)
    },
    setLobby(id, settings) {
      calls.push(['set', id, settings])
      return fake.update(id, settings)
    },
    async leaveLobby(id) {
      calls.push(['leave', id])
    },
    renewToken: () => fake.renewal(),
    repairGame: () => fake.repair(),
    async setupStatus() {
      if (fake.silent) return new Promise(() => undefined)
      return fake.setup
    },
    async beginSignIn() {
      calls.push(['sign in'])
    },
    async retryDownload() {
      calls.push(['download'])
    },
    close: async () => undefined,
  }
  return fake
}

/** A stopped clock that the test advances. */
export interface StillClock extends Clock {
  advance(milliseconds: number): Promise<void>
  /** Sets the time of day, as a person or NTP does. */
  set(milliseconds: number): void
}

export function stillClock(start = Date.UTC(2026, 0, 1)): StillClock {
  let now = 0
  let started = start
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => started + now,
    monotonic: () => now,
    set(milliseconds) {
      started = milliseconds - now
    },
    random: () => 0.5,
    after(milliseconds, wake) {
      const sleeper = { at: now + milliseconds, wake }
      sleepers.add(sleeper)
      return () => void sleepers.delete(sleeper)
    },
    async advance(milliseconds) {
      now += milliseconds
      for (const sleeper of [...sleepers].filter(({ at }) => at <= now)) {
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
