import { bridgeContract } from './contract.ts'
import { steeredFarm } from './simulated/steered-farm.ts'

bridgeContract('simulated farm', async () => {
  const bridge = steeredFarm({ speed: 20 })
  const { controls } = bridge
  const game = {
    ...controls,
    join: (player: { id: bigint; name: string }) => void controls.join(player),
    leave: (id: bigint) => void controls.leave(id),
    say: (id: bigint, message: string) => void controls.say(id, message),
    relayed: () => controls.chatRelayed,
    writes: () => controls.writes,
    unanswered: () => controls.waiting,
  }
  return { bridge, game, close: async () => {} }
})
