/** `PATCH /settings` (docs/api.md, "Settings"), with the file on the farm's machine. */
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { sharedFolder } from '../../new-folder.ts'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const patch = (server: ServerUnderTest, json: unknown) => askWithKey(server, 'PATCH', '/settings', { json })

const usual = `{
  // Of our farm.
  "Game": { "FarmName": "Clover", "FarmType": 3 },
  "Server": {
    "MaxPlayers": 10, // we are many
    "Mod": { "of": ["ours"] },
  },
}
`

export function settingsContract({ start }: RuntimeUnderTest): void {
  describe('PATCH /settings without a mounted file', () => {
    const server = sharedServer(start)

    test('is 501 unsupported', async () => {
      expectProblem(await patch(server(), { server: { maxPlayers: 8 } }), 501, 'unsupported')
    })
  })

  describe('PATCH /settings', () => {
    const folder = sharedFolder()
    const path = () => join(folder, 'server-settings.json')
    const server = sharedServer(() => start({ settingsFile: path() }))
    beforeEach(async () => {
      await rm(path(), { recursive: true, force: true })
      await writeFile(path(), usual, { mode: 0o640 })
    })
    const text = () => readFile(path(), 'utf8')

    test('changes the file and nothing else in it, and answers the new settings and when each takes effect', async () => {
      const { status, json: answer } = await patch(server(), {
        server: { maxPlayers: 8, separateWallets: true, lobbyMode: 'Individual' },
        game: { farmName: 'Clover', petName: 'Muffin' },
      })
      expect(status).toBe(200)
      expect(answer).toEqual({
        success: true,
        message: 'Changed game.petName, server.maxPlayers, server.separateWallets, server.lobbyMode',
        settings: {
          game: {
            farmName: 'Clover',
            farmType: 3,
            profitMargin: 1,
            startingCabins: 1,
            spawnMonstersAtNight: 'auto',
          },
          server: {
            maxPlayers: 8,
            cabinStrategy: 'CabinStack',
            separateWallets: true,
            existingCabinBehavior: 'KeepExisting',
          },
        },
        changed: [
          { setting: 'game.petName', takesEffect: 'new_game' },
          { setting: 'server.maxPlayers', takesEffect: 'reload' },
          { setting: 'server.separateWallets', takesEffect: 'new_game' },
          { setting: 'server.lobbyMode', takesEffect: 'reload' },
        ],
      })
      const written = await text()
      for (const kept of ['// Of our farm.', '// we are many', '"Mod": { "of": ["ours"] }', '"FarmType": 3'])
        expect(written).toContain(kept)
      expect(await readdir(folder)).toEqual(['server-settings.json'])
    })

    test('a value that the game has already loaded takes effect now', async () => {
      const { json: answer } = await patch(server(), { server: { cabinStrategy: 'FarmhouseStack' } })
      expect(answer).toMatchObject({ changed: [{ takesEffect: 'reload' }] })
      const { json: back } = await patch(server(), { server: { cabinStrategy: 'CabinStack' } })
      expect(back).toMatchObject({ changed: [{ setting: 'server.cabinStrategy', takesEffect: 'now' }] })
    })

    test('a cabin strategy that the game would refuse at load is 409, says what to do, and changes nothing', async () => {
      const before = await text()
      const refused = await patch(server(), { server: { cabinStrategy: 'None', maxPlayers: 7 } })
      expectProblem(refused, 409, 'settings_unusable')
      expect(refused.text).toContain('cabins migrate start None')
      expect(await text()).toBe(before)
    })

    test('the layout of cabins takes effect at the next load, and the settings can stop players from moving theirs', async () => {
      const { json } = await patch(server(), {
        game: { cabinLayoutNearby: true },
        server: { allowCabinRelocation: false },
      })
      expect(json).toMatchObject({
        changed: [
          { setting: 'game.cabinLayoutNearby', takesEffect: 'reload' },
          { setting: 'server.allowCabinRelocation', takesEffect: 'reload' },
        ],
        settings: { server: { allowCabinRelocation: false } },
      })
    })

    test('values that are already in the file change nothing', async () => {
      expect((await patch(server(), { server: { maxPlayers: 10 } })).json).toMatchObject({
        message: 'Nothing changed',
        changed: [],
      })
      expect(await text()).toBe(usual)
    })

    test('works while the game is frozen', async () => {
      await server().farm.freeze()
      const { status } = await patch(server(), { server: { maxPlayers: 8 } })
      await server().farm.thaw()
      expect(status).toBe(200)
    })

    test('simultaneous changes are all made', async () => {
      const changes = [
        { maxPlayers: 8 },
        { lobbyMode: 'Individual' },
        { verboseLogging: true },
        { networkBroadcastPeriod: 3 },
      ]
      const replies = await Promise.all(changes.map((change) => patch(server(), { server: change })))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      for (const written of ['"MaxPlayers": 8', '"Individual"', '"VerboseLogging": true', 'Period": 3'])
        expect(await text()).toContain(written)
    })

    describe.each([
      ['is no JSON', '{"Server": {"MaxPlayers": 10'],
      ['is empty', ''],
      ['is not an object', '[]'],
      ['has a section that is not an object', '{"Server": [10]}'],
      ['has a member twice', '{"Server": {"MaxPlayers": 10, "maxplayers": 9}}'],
      ['has a section twice', '{"Server": {}, "server": {}}'],
      ['has a member of a wrong type', '{"Server": {"SeparateWallets": "maybe"}}'],
      ['has endless nesting', '['.repeat(500_000)],
      ['is larger than 1 MiB', `${' '.repeat(1024 * 1024)}{}`],
    ])('a file that %s', (_what, content) => {
      test('is 409 settings_unusable and left as it is', async () => {
        await writeFile(path(), content)
        expectProblem(await patch(server(), { server: { maxPlayers: 8 } }), 409, 'settings_unusable')
        expect(await text()).toBe(content)
      })
    })

    test('a file that is not UTF-8 is 409 settings_unusable and left as it is', async () => {
      const utf16 = Buffer.from(usual, 'utf16le')
      await writeFile(path(), utf16)
      expectProblem(await patch(server(), { server: { maxPlayers: 8 } }), 409, 'settings_unusable')
      expect(await readFile(path())).toEqual(utf16)
    })

    test('a symbolic link is not followed: 409 settings_unusable', async () => {
      const outside = join(folder, 'elsewhere.json')
      await writeFile(outside, usual)
      await rm(path())
      await symlink(outside, path())
      const reply = await patch(server(), { server: { maxPlayers: 8 } })
      await rm(path())
      expectProblem(reply, 409, 'settings_unusable')
      expect(await readFile(outside, 'utf8')).toBe(usual)
      await rm(outside)
    })

    test('a folder in its place is 409 settings_unusable, and a missing file 501 unsupported', async () => {
      await rm(path())
      expectProblem(await patch(server(), { server: { maxPlayers: 8 } }), 501, 'unsupported')
      await mkdir(path())
      expectProblem(await patch(server(), { server: { maxPlayers: 8 } }), 409, 'settings_unusable')
      expect(await readdir(folder)).toEqual(['server-settings.json'])
    })

    test('a wrong member of the file can be corrected', async () => {
      await writeFile(path(), '{"Server": {"MaxPlayers": "many"}}')
      expect((await patch(server(), { server: { maxPlayers: 8 } })).status).toBe(200)
      expect(await text()).toBe('{"Server": {"MaxPlayers": 8}}')
    })

    test('the file keeps its mode', async () => {
      await chmod(path(), 0o664)
      await patch(server(), { server: { maxPlayers: 8 } })
      expect((await stat(path())).mode & 0o777).toBe(0o664)
    })
  })
}
