import { bridgeContract } from './contract.ts'
import type { BridgeUnderTest } from './steered-game.ts'
import { type UpstreamGame, upstreamGame } from './upstream-game.ts'

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
      goAway: () => server.down(),
      comeBack: () => server.up(),
    },
  }
}

// The four pairs of generation and key meet the suite in two; `upstream-chat.test.ts` has each key alone.
bridgeContract('upstream bridge before a game of before September 2026 without a key', async () =>
  steered(await upstreamGame({ generation: 'before' })),
)
bridgeContract('upstream bridge before a game of since September 2026 with a key', async () =>
  steered(await upstreamGame({ generation: 'since', key: 'a key of the game' })),
)
