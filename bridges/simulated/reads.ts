/** The read abilities of the port. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { PasswordProtection, Screenshot, Stats } from '../../handlers/game-records.ts'
import { stringifyJson } from '../../lib/json.ts'
import { diagnosticsOf } from './diagnostics.ts'
import type { Farm } from './farm.ts'
import { pictureOf, sceneOf } from './picture.ts'

const targetTps = 60

/** @param startedAt milliseconds since 1970 */
function statsOf(farm: Farm, startedAt: number): Stats {
  const uptimeSeconds = Math.floor((farm.clock.now() - startedAt) / 1000)
  const { isFrozen, pendingActions } = farm.loop.health()
  const busy = farm.world.visitors.size
  return {
    fps: farm.fps,
    tps: isFrozen ? 0 : targetTps,
    targetTps,
    avgTickMs: Math.round((1.6 + busy * 0.11) * 100) / 100,
    // Rises and falls like a managed heap between two garbage collections.
    memoryMb: Math.round((380 + busy * 4 + (uptimeSeconds % 90) * 0.4) * 10) / 10,
    gcGen0: Math.floor(uptimeSeconds / 15),
    gcGen1: Math.floor(uptimeSeconds / 90),
    gcGen2: Math.floor(uptimeSeconds / 900),
    pendingActions,
    gameThreadWaitMs: 8.21,
    startedAtUtc: new Date(startedAt).toISOString(),
    uptimeSeconds,
  }
}

const maxAttempts = 3

function protectionOf(farm: Farm, timeoutSeconds: number): PasswordProtection {
  if (!farm.hasPassword)
    return { enabled: false, authenticatedCount: 0, pendingCount: 0, timeoutSeconds: 0, maxAttempts: 0 }
  const now = farm.clock.now()
  const pendingCount = [...farm.world.visitors.values()].filter(({ loggedInAt }) => loggedInAt > now).length
  const authenticatedCount = farm.world.visitors.size - pendingCount
  return { enabled: true, authenticatedCount, pendingCount, timeoutSeconds, maxAttempts }
}

/** @param loginTimeout seconds that joiners have for the password */
export function readsOf(farm: Farm, loginTimeout: () => number) {
  const { perform } = farm.loop
  const startedAt = farm.clock.now()
  const stats = stable(() => statsOf(farm, startedAt))
  const protection = stable(() => protectionOf(farm, loginTimeout()))
  let drawn: { readonly scene: string; readonly picture: Screenshot } | undefined
  /** Draws again only after a change, because drawing takes milliseconds in which no other client is served. */
  const picture = () => {
    const scene = sceneOf(farm.world)
    if (drawn?.scene !== scene) drawn = { scene, picture: pictureOf(farm.world) }
    return drawn.picture
  }
  const health = () => ({ ...farm.loop.health(), snapshotAt: farm.snapshot.takenAt })
  return {
    health,
    status: async () => farm.status(),
    players: () => perform('players', () => farm.snapshot.players),
    farmhands: () => perform('farmhands', () => farm.snapshot.farmhands),
    cabins: () => perform('cabins', () => farm.snapshot.cabins),
    inviteCode: () => perform('inviteCode', () => farm.world.lobbies.galaxy.inviteCode),
    settings: () => perform('settings', () => farm.world.settings.shown),
    rendering: () => perform('rendering', () => farm.fps),
    stats: () => perform('stats', stats),
    screenshot: () => perform('screenshot', picture),
    passwordProtection: () => perform('passwordProtection', protection),
    diagnostics: (query) =>
      perform('diagnostics', () =>
        diagnosticsOf(farm.world, farm.snapshot, {
          query,
          capturedAt: new Date(farm.clock.now()).toISOString(),
          health: health(),
        }),
      ),
    subscribe: farm.listen,
  } satisfies Partial<GameBridge>
}

/** Wraps a read so that it returns the same object while its content is equal, because JSON texts are cached by identity. */
function stable<T extends object>(make: () => T): () => T {
  let last: { readonly value: T; readonly text: string } | undefined
  return () => {
    const value = make()
    const text = stringifyJson(value)
    if (last?.text !== text) last = { value, text }
    return last.value
  }
}
