/** A farm with webhooks, on clocks that the test moves. Records are in memory, receivers are real. */
import { onTestFinished } from 'vitest'
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { WebhookRequest } from '../../../handlers/webhook-record.ts'
import { openWebhooks, type WebhooksParts } from '../../../services/webhooks/open-webhooks.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { eventually } from '../../wait.ts'
import { aReceiver, type Receiver } from './a-receiver.ts'

const noon = Date.parse('2026-11-21T12:00:00.000Z')
const healthy: GameHealth = { gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }
const running: Status = { ...neverSeen, isOnline: true, dayTransitionComplete: true, farmName: 'Clover' }

export function aNotifiedFarm(parts: Partial<WebhooksParts> = {}) {
  const clock = { wall: noon, monotonic: 0 }
  const game = { health: healthy, status: running }
  const listeners = new Set<(event: GameEvent) => void>()
  const log: LogLine[] = []
  const outcomes: string[] = []
  const records = memoryOwnRecords(() => clock.wall)
  const port = records.of('local')
  const webhooks = openWebhooks({
    game: {
      health: () => game.health,
      status: async () => game.status,
      subscribe(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    records,
    keepsChat: true,
    privateHosts: ['127.0.0.1'],
    farmName: () => 'Clover',
    tried: (outcome) => void outcomes.push(outcome),
    log: recorder(log),
    now: () => clock.wall,
    monotonic: () => clock.monotonic,
    random: () => 0,
    ...parts,
  })
  onTestFinished(() => webhooks.close())
  const deliveriesOf = async (id: string) =>
    (await port.webhookDeliveries({ id, limit: 500 }))?.deliveries ?? []
  return {
    clock,
    game,
    log,
    /** The outcome of each attempt, oldest first. */
    outcomes,
    records,
    port,
    webhooks,
    emit(event: GameEvent) {
      for (const listener of listeners) listener(event)
    },
    async pass(seconds: number) {
      clock.wall += seconds * 1000
      clock.monotonic += seconds * 1000
      await webhooks.tick()
    },
    listen: (url: string, wish: Partial<WebhookRequest> = {}) =>
      port.makeWebhook({ name: 'w', url, events: ['player.joined'], format: 'standard', ...wish }),
    deliveriesOf,
    /** The deliveries, newest first, once they pass the check and none is in flight. */
    eventuallyDeliveries: (id: string, check: (all: Awaited<ReturnType<typeof deliveriesOf>>) => boolean) =>
      eventually(async () => {
        const all = await deliveriesOf(id)
        if (!check(all)) throw new Error(`the deliveries are ${JSON.stringify(all)}`)
        return all
      }),
  }
}

/** A farm with one webhook, whose receiver answers so from the first delivery on. @param answer 204 unless given */
export async function aListenedFarm(
  answer?: Parameters<Receiver['answers']>[0],
  parts?: Partial<WebhooksParts>,
  wish?: Partial<WebhookRequest>,
) {
  const receiver = await aReceiver()
  if (answer !== undefined) receiver.answers(answer)
  const farm = aNotifiedFarm(parts)
  return { receiver, farm, ...(await farm.listen(receiver.url, wish)) }
}

export const joins = (name: string, id = 7n): GameEvent => ({
  type: 'player_joined',
  player: { id, name, isOnline: true },
})
export const says = (message: string, playerName = 'Abby'): GameEvent => ({
  type: 'chat',
  playerName,
  message,
  timestamp: '2026-11-21T12:00:00.000Z',
})
