/** Pending deliveries: their limits, and a failing disk. */
import { DatabaseSync } from 'node:sqlite'

import { expect, test } from 'vitest'
import type { StoredWebhook } from '../../../services/records/webhooks-table.ts'
import { deliverWebhooks } from '../../../services/webhooks/deliver.ts'
import type { Post } from '../../../services/webhooks/post.ts'
import { silent } from '../../logs.ts'
import { aKeeper, newPath, startedAt } from '../records/a-keeper.ts'

const day = 86_400_000
const data = JSON.stringify({ farmName: 'Clover', playerId: 7, name: 'Abby', filler: 'x'.repeat(500) })

const hook = (id = 'w'): StoredWebhook => ({
  id,
  name: 'Farm channel',
  url: 'http://127.0.0.1:1/',
  events: ['player.joined', 'chat.message'],
  format: 'text',
  createdAt: 1,
})

/** A database with one webhook and so many pending deliveries. */
async function waiting(count: number): Promise<string> {
  const path = newPath()
  const { keeper, calls } = aKeeper(path)
  await calls.addWebhook(hook())
  keeper.close()
  const db = new DatabaseSync(path)
  const insert =
    db.prepare(`INSERT INTO deliveries (id, webhookId, event, data, madeAt, isSingle, tries, dueAt)
    VALUES (?, 'w', 'player.joined', ?, ?, 0, 0, ?)`)
  db.exec('BEGIN')
  for (let at = 1; at <= count; at += 1) insert.run(at, data, startedAt, startedAt)
  db.exec('COMMIT')
  db.close()
  return path
}

const joined = (at = startedAt) => ({ event: 'player.joined', data, at }) as const
const said = (at = startedAt) => ({ event: 'chat.message', data, at }) as const
const page = { id: 'w', limit: 500 } as const

const delivering = (calls: ReturnType<typeof aKeeper>['calls'], post: Post, now: () => number) =>
  deliverWebhooks({
    calls,
    post,
    log: silent,
    tried: () => undefined,
    now,
    random: () => 0,
    stopping: new AbortController().signal,
  })

test('of more than 20,000 pending deliveries for a webhook the oldest are dropped', async () => {
  const { keeper, calls } = aKeeper(await waiting(20_000))
  await calls.makeDeliveries(joined(), 0)
  expect(await calls.waitingDeliveries()).toBe(20_000)
  const last = await calls.deliveries({ ...page, before: 3 })
  expect(last?.deliveries).toMatchObject([
    { id: '2', state: 'waiting' },
    { id: '1', state: 'failed', error: 'too_many_waiting' },
  ])
  keeper.close()
})

test('ended deliveries are removed after HISTORY_DAYS, those of chat lines after CHAT_DAYS also while pending', async () => {
  const { keeper, calls, pass, clock } = aKeeper(newPath(), { days: { audit: 90, history: 3, chat: 1 } })
  await calls.addWebhook(hook())
  await calls.makeDeliveries(joined(), 0)
  await calls.makeDeliveries(said(), 0)
  await calls.makeDeliveries(joined(), 0)
  const [ended] = await calls.dueDeliveries('w', startedAt, 1)
  await calls.deliveriesTried({ ids: [ended?.id ?? 0], at: startedAt, isDelivered: true, counts: true })
  const events = async () =>
    (await calls.deliveries(page))?.deliveries.map(({ event, state }) => [event, state])
  clock.now += 2 * day
  pass(1)
  expect(await events()).toEqual([
    ['player.joined', 'waiting'],
    ['player.joined', 'delivered'],
  ])
  clock.now += 2 * day
  pass(1)
  expect(await events()).toEqual([['player.joined', 'waiting']])
  keeper.close()
})

test('deliveries that are pending when the disk fails are sent from memory, in order and once, also after it is back', async () => {
  const path = newPath()
  const kept = aKeeper(path, { maxPages: 60 })
  const { calls, clock } = kept
  await calls.addWebhook(hook())
  const names: string[] = []
  const deliveries = delivering(
    calls,
    async (_url, { body }) => {
      names.push(body)
      return { status: 200 }
    },
    () => clock.now,
  )
  const made = (name: string) =>
    calls.makeDeliveries(
      { ...joined(clock.now), data: JSON.stringify({ farmName: 'C', playerId: 7, name }) },
      0,
    )
  await made('before the disk failed')
  for (let row = 1; kept.changes.at(-1)?.state !== 'failed'; row += 1) await kept.write(row)
  await made('while it failed')
  await deliveries.look()
  await deliveries.idle()
  expect(names).toEqual([
    expect.stringContaining('before the disk failed'),
    expect.stringContaining('while it failed'),
  ])
  const db = new DatabaseSync(path)
  db.exec('DELETE FROM audit')
  db.close()
  kept.pass(61)
  expect(kept.changes.at(-1)).toEqual({ state: 'ok' })
  await made('afterwards')
  await deliveries.look()
  await deliveries.idle()
  expect(names).toHaveLength(3)
  kept.keeper.close()
  const again = aKeeper(path)
  expect((await again.calls.deliveries(page))?.deliveries.map(({ state }) => state)).toEqual(
    Array.from({ length: 3 }, () => 'delivered'),
  )
  again.keeper.close()
})
