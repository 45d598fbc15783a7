/** The read abilities of the port. */
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Screenshot } from '../../handlers/game-records.ts'
import { stringifyJson } from '../../lib/json.ts'
import { diagnosticsOf } from './diagnostics.ts'
import type { Farm } from './farm.ts'
import { pictureOf, sceneOf } from './picture.ts'
import { protectionOf, statsOf } from './vitals.ts'

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
