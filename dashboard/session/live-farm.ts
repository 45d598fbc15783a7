/** What the page knows of the farm now, kept current by the live connection and a check of its health. */
import { computed, signal } from '@preact/signals'
import type { Cabins, Farm, Health, Live, LiveState, Players, Scope, Status } from '../../client/index.ts'
import { openChatLog } from './chat-log.ts'
import { statusOf } from './status.ts'

/** The state of the connection to the farm; `reconnecting` after it was live once, `trouble` while a cause stands. */
export type Line = LiveState | 'reconnecting' | 'trouble'

export type LiveFarm = ReturnType<typeof openLiveFarm>

/** Milliseconds between two checks of health, and of the status where the key may not follow it. */
const lookEvery = 10_000

/** @param first the status until the live connection has one; undefined where there is none */
export function openLiveFarm(
  farm: Farm,
  scopes: readonly Scope[],
  first: Promise<Status | undefined>,
  onRefused: () => void,
) {
  const mayRead = scopes.includes('read') || scopes.includes('admin')
  // The lines that the server still has come first, so that the chat has no hole between old and new ones.
  const live: Live = farm.live({ since: 0, ...(!mayRead && { topics: [] }) })
  const connection = signal<Line>('connecting')
  const status = signal<Status | undefined>(undefined)
  const players = signal<Players | undefined>(undefined)
  const cabins = signal<Cabins | undefined>(undefined)
  const health = signal<Health | undefined>(undefined)
  const lostSince = signal<number | undefined>(undefined)
  const alarms = signal(0)
  const opened = signal<number | undefined>(undefined)
  const openedHere = Date.now()
  const ended = new AbortController()
  let wasLive = false
  let ahead = 0

  // The live connection reports both as `isOnline: false`: an offline game, and one that loads its farm.
  const isOffline = computed(
    () =>
      status.value?.isOnline === false &&
      status.value.phase === undefined &&
      health.value?.status !== 'ok' &&
      health.value?.isFrozen !== true,
  )
  const cause = computed(() => health.value?.cause)
  const line = computed(() => {
    const isConnected = connection.value === 'live' || connection.value === 'away'
    if (!isConnected) return connection.value
    if (isOffline.value) return 'away'
    return cause.value === undefined ? 'live' : 'trouble'
  })

  const show = () => {
    if (live.status !== undefined) status.value = live.status
    if (live.players !== undefined) players.value = live.players
    if (live.cabins !== undefined) cabins.value = live.cabins
  }
  void first.then((known) => {
    status.value ??= known
  })
  live.on('snapshot', show)
  live.on('event', ({ event }) => {
    show()
    if (event === 'game.wrong_farm') alarms.value += 1
  })
  live.on('state', (state) => {
    if (state === 'live' || state === 'away') wasLive = true
    connection.value = state === 'connecting' && wasLive ? 'reconnecting' : state
    lostSince.value = connection.value === 'reconnecting' ? (lostSince.value ?? Date.now()) : undefined
    if (state === 'away') {
      // Its last health is old.
      health.value = undefined
      void look()
    }
    if (state === 'refused') onRefused()
  })

  const now = () => Date.now() + ahead

  const look = async () => {
    if (document.hidden) return
    try {
      const asked = Date.now()
      const seen = await farm.health({}, { signal: ended.signal, timeout: lookEvery })
      ahead = Date.parse(seen.timestamp) - (asked + Date.now()) / 2
      opened.value ??= openedHere + ahead
      health.value = seen
      if (!mayRead) status.value = (await statusOf(farm, ended.signal)).status
    } catch {
      // The connection itself shows that the farm does not answer.
    }
  }
  void look()
  const timer = setInterval(() => void look(), lookEvery)
  document.addEventListener('visibilitychange', look, { signal: ended.signal })

  return {
    line,
    /**
     * Since when farmgate is unreachable, milliseconds since 1970; undefined while it is reachable. The shown data is
     * older.
     */
    lostSince,
    /** The game does not answer; one that answers and has no farm loaded yet is not offline. */
    isOffline,
    /** Why the farm cannot be played as it should be; undefined while all is well. */
    cause,
    status,
    players,
    cabins,
    health,
    /** How often farmgate has warned since the page was opened that the game plays a wrong farm. */
    alarms,
    chat: openChatLog(farm, live, mayRead, { now, opened }),
    /** Milliseconds since 1970 by the clock of the farm, which may differ from the clock of this device. */
    now,
    close() {
      clearInterval(timer)
      ended.abort()
      live.close()
    },
  }
}
