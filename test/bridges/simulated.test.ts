import { simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { systemClock } from '../../lib/clock.ts'
import { bridgeContract } from './contract.ts'

bridgeContract('simulated farm', async () => {
  const bridge = simulatedFarm({
    seed: 'contract',
    speed: 20,
    clock: systemClock,
    version: '1.0.0',
    story: 'steered',
  })
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
