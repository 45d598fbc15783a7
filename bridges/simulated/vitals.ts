/** Performance figures of the simulated game process, and the state of its password protection. */
import type { PasswordProtection, Stats } from '../../handlers/game-records.ts'
import type { Farm } from './farm.ts'

const targetTps = 60

/** @param startedAt milliseconds since 1970 */
export function statsOf(farm: Farm, startedAt: number): Stats {
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

export function protectionOf(farm: Farm, timeoutSeconds: number): PasswordProtection {
  if (!farm.hasPassword)
    return { enabled: false, authenticatedCount: 0, pendingCount: 0, timeoutSeconds: 0, maxAttempts: 0 }
  const now = farm.clock.now()
  const pendingCount = [...farm.world.visitors.values()].filter(({ loggedInAt }) => loggedInAt > now).length
  const authenticatedCount = farm.world.visitors.size - pendingCount
  return { enabled: true, authenticatedCount, pendingCount, timeoutSeconds, maxAttempts }
}
