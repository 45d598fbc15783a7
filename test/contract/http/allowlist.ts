/** Who is who: accounts of farmhands, and the list of those whose joining is expected. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { saveName } from '../../../bridges/simulated/save-files.ts'
import { clover } from '../../backups/saved-farm.ts'
import { eventually } from '../../wait.ts'
import { openAuthenticated } from '../chat-client.ts'
import { askWithKey, type Reply } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { makeKey } from './made-key.ts'

const steam = (id: string) => ({ platform: 'steam', id })

export function allowlistContract({ start }: RuntimeUnderTest): void {
  describe('accounts of players', () => {
    const server = sharedServer(start)
    const put = (json: unknown) => askWithKey(server(), 'PUT', '/allowlist', { json })
    /** The game has these owners in the save that it plays. */
    const owned = async (farmhands: Readonly<Record<string, object>>) => {
      const { json: status } = await askWithKey(server(), 'GET', '/status')
      const { farmName, season, day, year } = Object(status)
      const played = { ...clover, farmName, date: { season, day, year } }
      server().saved.save(played)
      const folder = join(server().saved.saves, saveName(played))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'farmhand-ownership.json'), JSON.stringify({ Farmhands: farmhands }))
    }
    const farmhandsOf = ({ json: answer }: Reply): readonly { readonly account?: unknown }[] =>
      Object(answer).farmhands

    test('GET /farmhands shows them to admin, where the save names one, and to no other scope', async () => {
      const id = 6_001n
      await server().farm.join({ id, name: 'Owner' })
      await owned({ [String(id)]: { Platform: 'steam', Id: '76561198000000001', Origin: 'claim' } })
      const account = steam('76561198000000001')
      await eventually(async () => {
        const farmhands = farmhandsOf(await askWithKey(server(), 'GET', '/farmhands'))
        expect(farmhands).toContainEqual(expect.objectContaining({ name: 'Owner', account }))
        expect(farmhands.filter((one) => one.account !== undefined)).toHaveLength(1)
      })
      const { key } = await makeKey(server(), 'read', 'control', 'chat')
      for (const path of ['/farmhands', '/wait/farmhands']) {
        const all = await askWithKey(server(), 'GET', path)
        expect(all.text).toContain('"account":{"platform":"steam","id":"76561198000000001"}')
        const shown = await askWithKey({ ...server(), key }, 'GET', path)
        expect(shown.status).toBe(200)
        expect(shown.text).toContain('"Owner"')
        expect(shown.text).not.toContain('account')
      }
      await server().farm.leave(id)
    })

    test('the allowlist is empty at first', async () => {
      expect((await askWithKey(server(), 'GET', '/allowlist')).json).toEqual({ accounts: [] })
    })

    test('a joiner who is not on it is player.unlisted on the topic players; one who is, is not', async () => {
      const client = await openAuthenticated(server())
      client.send({ type: 'subscribe', payload: { topics: ['players'] } })
      await client.take('subscribed')
      const events = () =>
        client.messages('event').map(({ payload }) => [payload?.['event'], payload?.['player']])
      const joined = (name: string) => ['player_joined', expect.objectContaining({ name })]
      const unlisted = (name: string) => ['player.unlisted', expect.objectContaining({ name })]
      await owned({
        6101: { Platform: 'galaxy', Id: '46', Origin: 'claim' },
        6102: { Platform: 'released', Id: '' },
      })
      await put({ accounts: [{ platform: 'galaxy', id: '46' }] })
      for (const [id, name] of [
        [6101n, 'Listed'],
        [6102n, 'Released'],
        [6103n, 'Unknown'],
      ] as const)
        await server().farm.join({ id, name })
      const expected = [
        joined('Listed'),
        joined('Released'),
        unlisted('Released'),
        joined('Unknown'),
        unlisted('Unknown'),
      ]
      await eventually(() => expect(events()).toHaveLength(expected.length))
      expect(events()).toEqual(expect.arrayContaining(expected))
      await put({ accounts: [] })
      await server().farm.join({ id: 6104n, name: 'Anyone' })
      await eventually(() => expect(events()).toContainEqual(joined('Anyone')))
      expect(events()).not.toContainEqual(unlisted('Listed'))
    })
  })
}
