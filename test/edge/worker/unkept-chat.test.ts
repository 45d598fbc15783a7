/** A farm that keeps no chat (`CHAT_KEEP=false`): its edge stores no line either. */
import { evictDurableObject, reset, runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, test } from 'vitest'
import type { FarmObject } from '../../../runtime/edge/farm-object.ts'
import { eventually } from '../../wait.ts'
import { farm, line, messages, openAuthenticated, openOrigin, type Peer } from './origin.ts'

afterEach(reset)

const unkept = { keepsChat: false } as const

/** Everything that the object stores, as one text. */
const stored = () =>
  runInDurableObject(farm(), (_: FarmObject, { storage }) =>
    JSON.stringify([
      ...storage.sql.exec('SELECT text FROM lines'),
      ...storage.sql.exec('SELECT name, value FROM facts'),
    ]),
  )
const heard = (client: Peer, ...lines: string[]) =>
  eventually(() => expect(messages(client).map(({ message }) => message)).toEqual(lines))
const gapOf = async (client: Peer) => (await client.take('gap'))['payload']

test('stores no line of a farm that keeps no chat; returning clients get the lines from memory', async () => {
  const origin = await openOrigin('run-one-1', unkept)
  const first = await openAuthenticated()
  origin.send(line(1, 'the first secret'))
  origin.send(line(2, 'the second secret'))
  await heard(first, 'the first secret', 'the second secret')
  const again = await openAuthenticated({ since: messages(first)[0]?.seq })
  await heard(again, 'the second secret')
  expect(await stored()).not.toContain('secret')
})

test('after hibernation sends a gap over the lines that only memory had; numbers continue, and no line comes twice', async () => {
  const origin = await openOrigin('run-one-1', unkept)
  const first = await openAuthenticated()
  origin.send(line(1, 'one'))
  origin.send(line(2, 'two'))
  await heard(first, 'one', 'two')
  const seq = Number(messages(first)[0]?.seq)
  await evictDurableObject(farm())
  origin.send(line(2, 'two'))
  origin.send(line(3, 'the third secret'))
  await heard(first, 'one', 'two', 'the third secret')
  expect(messages(first)[2]?.seq).toBe(seq + 2)
  const again = await openAuthenticated({ since: seq })
  expect(await gapOf(again)).toEqual({ from: seq + 1, to: seq + 1 })
  await heard(again, 'the third secret')
  expect(await stored()).not.toContain('secret')
})

test('deletes its stored lines once the farm says that it keeps no chat', async () => {
  const before = await openOrigin('run-one-1')
  const first = await openAuthenticated()
  before.send(line(1, 'a secret of before'))
  await heard(first, 'a secret of before')
  expect(await stored()).toContain('secret')
  before.ws.close(1001, 'restart')
  await openOrigin('run-two-2', unkept)
  await eventually(async () => expect(await stored()).not.toContain('secret'))
  const seq = Number(messages(first)[0]?.seq)
  expect(await gapOf(await openAuthenticated({ since: seq - 1 }))).toEqual({ from: seq, to: seq })
})

test('stores lines again once the farm keeps its chat again', async () => {
  const before = await openOrigin('run-one-1', unkept)
  const first = await openAuthenticated()
  before.send(line(1, 'forgotten'))
  await heard(first, 'forgotten')
  before.ws.close(1001, 'restart')
  const origin = await openOrigin('run-two-2')
  origin.send(line(1, 'kept'))
  await heard(first, 'forgotten', 'kept')
  await evictDurableObject(farm())
  const [{ seq } = { seq: 0 }] = messages(first)
  const again = await openAuthenticated({ since: seq - 1 })
  expect(await gapOf(again)).toEqual({ from: seq, to: seq })
  await heard(again, 'kept')
})
