/** States of the world that the two tables of answers share. */
import type { World } from '../../game-server/world.ts'

export const abby = 2n ** 53n + 1n
export const zoe = -(2n ** 53n) - 1n

export const twins = (world: World) => world.addFarmhand('abby', 5n)
export const online = (world: World) => world.join('Abby', abby)
export const guarded = (world: World) => {
  world.password = { enabled: true, timeoutSeconds: 120, maxAttempts: 3 }
}
