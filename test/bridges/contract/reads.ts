import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import * as records from '../../../handlers/game-records.ts'
import { eventually } from '../../wait.ts'
import { awkwardIds, farmhandIds, playerIds, type Start, started, unlessUnsupported } from './expectations.ts'

export function readsContract(start: Start): void {
  describe('reads', () => {
    test('every record has the shape that the API describes', async () => {
      const { bridge, game } = await started(start)
      await game.join({ id: 77n, name: 'Abby' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(77n))
      const is = (schema: v.GenericSchema, record: unknown) =>
        expect(v.safeParse(schema, record).issues).toBeUndefined()
      is(records.status, await bridge.status())
      is(records.players, await bridge.players())
      is(records.farmhands, await bridge.farmhands())
      is(records.settings, await bridge.settings())
      is(records.cabins, await bridge.cabins())
      is(v.pipe(v.number(), v.integer(), v.minValue(0)), await bridge.rendering())
    })

    test('records that the game can lack have the right shape or are unsupported', async () => {
      const { bridge } = await started(start)
      const is = (schema: v.GenericSchema, record: unknown) =>
        expect(record === undefined ? undefined : v.safeParse(schema, record).issues).toBeUndefined()
      is(records.stats, await unlessUnsupported(bridge.stats()))
      is(records.screenshot, await unlessUnsupported(bridge.screenshot()))
      is(records.passwordProtection, await unlessUnsupported(bridge.passwordProtection()))
      is(v.record(v.string(), v.unknown()), await unlessUnsupported(bridge.diagnostics([])))
    })

    test('ids are exact, also beyond the precision of a double, and negative', async () => {
      const { bridge, game } = await started(start)
      for (const id of awkwardIds) await game.join({ id, name: `P${id}` })
      await eventually(async () => {
        expect(await playerIds(bridge)).toEqual(expect.arrayContaining([...awkwardIds]))
        expect(await farmhandIds(bridge)).toEqual(expect.arrayContaining([...awkwardIds]))
        expect((await bridge.cabins()).cabins.map(({ ownerId }) => ownerId)).toEqual(
          expect.arrayContaining([...awkwardIds]),
        )
      })
    })

    test('names in any script are passed on unchanged', async () => {
      const { bridge, game } = await started(start)
      const names = ['Сергей', '美咲', 'محمد', 'Juniper 🌱', 'Zoë', 'a"b\\c']
      for (const [at, name] of names.entries()) await game.join({ id: BigInt(at + 1), name })
      await eventually(async () =>
        expect((await bridge.players()).players.map(({ name }) => name)).toEqual(
          expect.arrayContaining(names),
        ),
      )
    })

    test('a player who leaves is no longer listed as a player but keeps the farmhand', async () => {
      const { bridge, game } = await started(start)
      await game.join({ id: 77n, name: 'Abby' })
      await eventually(async () => expect(await playerIds(bridge)).toContain(77n))
      await game.leave(77n)
      await eventually(async () => expect(await playerIds(bridge)).not.toContain(77n))
      expect((await bridge.farmhands()).farmhands).toContainEqual(
        expect.objectContaining({ id: 77n, name: 'Abby', isCustomized: true }),
      )
    })

    test('the same object is returned until the game changes', async () => {
      const { bridge, game } = await started(start)
      const all = () =>
        Promise.all([
          bridge.status(),
          bridge.players(),
          bridge.farmhands(),
          bridge.cabins(),
          bridge.settings(),
        ])
      await eventually(async () => {
        const [first, again] = [await all(), await all()]
        for (const [at, record] of first.entries()) expect(again[at]).toBe(record)
      })
      const [status, players] = await all()
      await game.join({ id: 77n, name: 'Abby' })
      await eventually(async () => {
        expect(await bridge.players()).not.toBe(players)
        expect(await bridge.status()).not.toBe(status)
      })
    })

    test('the version counts up with each change', async () => {
      const { bridge, game } = await started(start)
      const before = await bridge.players()
      await game.join({ id: 77n, name: 'Abby' })
      await eventually(async () => {
        const after = await bridge.players()
        expect(after.players.map(({ id }) => id)).toContain(77n)
        expect(after.version).toBeGreaterThan(before.version)
        expect((await bridge.farmhands()).version).toBeGreaterThan(before.version)
        expect((await bridge.status()).version).toBeGreaterThan(before.version)
      })
    })

    test('the invite code is that of the status, with its prefix', async () => {
      const { bridge } = await started(start)
      const code = await bridge.inviteCode()
      expect(code).toMatch(/^[GS]./)
      const { inviteCode = code, steamInviteCode, gogInviteCode } = await bridge.status()
      expect([steamInviteCode, gogInviteCode]).toContain(code)
      expect(inviteCode).toBe(code)
    })
  })
}
