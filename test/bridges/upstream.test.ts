import type { AbilityName } from '../../handlers/game-abilities.ts'
import { bridgeContract } from './contract.ts'
import type { BridgeUnderTest } from './steered-game.ts'
import { type UpstreamGame, upstreamGame } from './upstream-game.ts'

/** The ability that requests each resource of the game. */
const abilityOf: Readonly<Record<string, AbilityName>> = {
  'GET /players': 'players',
  'GET /invite-code': 'inviteCode',
  'GET /farmhands': 'farmhands',
  'GET /settings': 'settings',
  'GET /cabins': 'cabins',
  'GET /rendering': 'rendering',
  'GET /stats': 'stats',
  'GET /auth': 'passwordProtection',
  'GET /screenshot': 'screenshot',
  'GET /diagnostics/state': 'diagnostics',
  'DELETE /farmhands': 'deleteFarmhand',
  'POST /rendering': 'setRendering',
  'POST /time': 'setTime',
  'POST /roles/admin': 'grantAdmin',
  'POST /clock-speed': 'setClockSpeed',
  'POST /auth/timeout': 'setLoginTimeout',
  'POST /newgame': 'newGame',
  'POST /reload': 'reload',
}

/** Every read requests the game: a cached answer would not notice that the game has gone offline. */
const limits = { keepFor: 0 }

const steered = ({ bridge, server, close }: UpstreamGame): BridgeUnderTest => {
  const { world } = server
  return {
    bridge,
    close,
    game: {
      join: ({ id, name }) => void world.join(name, id),
      leave: (id) => world.leave(id),
      say: (id, message) => world.say(world.farmhands.find((one) => one.id === id)?.name ?? '', message),
      relayed: () =>
        world.heard.map((line) => {
          const [, author = '', message = ''] = /^\(Web\) (.*?): (.*)$/s.exec(line) ?? []
          return { author, message }
        }),
      isAdmin: (id) => world.farmhands.some((one) => one.id === id && one.isAdmin),
      writes: () => server.writesReceived.length + world.heard.length,
      festival(isOn) {
        world.isFestival = isOn
        world.publish()
      },
      freeze() {
        world.isFrozen = true
      },
      thaw() {
        world.isFrozen = false
      },
      fallSilent() {
        server.faults.set({ kind: 'silent' })
        server.chat.state.isSilent = true
      },
      unanswered: () => [
        ...server.unanswered().flatMap((resource) => abilityOf[resource] ?? []),
        ...(server.chat.state.ignored > 0 ? (['sendChat'] as const) : []),
      ],
      goOffline: () => server.down(),
      comeBack: () => server.up(),
    },
  }
}

// The four pairs of generation and key meet the suite in two; `upstream/chat.test.ts` has each key alone.
bridgeContract('upstream bridge before a game of before September 2026 without a key', async () =>
  steered(await upstreamGame({ generation: 'before', limits })),
)
bridgeContract('upstream bridge before a game of since September 2026 with a key', async () =>
  steered(await upstreamGame({ generation: 'newest', key: 'a key of the game', limits })),
)
