/** Players who join and leave, for the calls that need them. */
import type { Farm } from '../../../client/index.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

/** An offline farmhand. */
export async function offline({ farm }: ServerUnderTest, id: bigint, name: string): Promise<void> {
  await farm.join({ id, name })
  await farm.leave(id)
}

/** Every player leaves. */
export async function empty(farm: Farm, { farm: game }: ServerUnderTest): Promise<void> {
  for (const { id } of (await farm.players()).players) await game.leave(id)
  await farm.waitForStatus({ playerCount: 0, timeout: 10_000 })
}
