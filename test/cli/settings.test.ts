/** `farmgate settings set`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { sharedFolder } from '../new-folder.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, run } from './farmgate.ts'

const folder = sharedFolder()
const settingsFile = join(folder, 'server-settings.json')
writeFileSync(settingsFile, '{}')
const server = sharedServer(() => nodeServer({ settingsFile }))

test('settings set changes the file, and says when each change takes effect', async () => {
  const done = await run(
    [
      'settings',
      'set',
      'server.maxPlayers=8',
      'game.petName=7',
      'server.adminSteamIds=["76561198000000001"]',
    ],
    at(server()),
  )
  expect([done.code, done.stdout]).toEqual([
    0,
    `game.petName: takes effect with the next new world
server.maxPlayers: takes effect when the game reloads or restarts: farmgate api POST /reload
server.adminSteamIds: takes effect when the game reloads or restarts: farmgate api POST /reload
`,
  ])
  expect(JSON.parse(readFileSync(settingsFile, 'utf8'))).toEqual({
    Server: { MaxPlayers: 8, AdminSteamIds: ['76561198000000001'] },
    Game: { PetName: '7' },
  })
  const again = await run(['settings', 'set', 'server.maxPlayers=8', '--json'], at(server()))
  expect(JSON.parse(again.stdout)).toMatchObject({ success: true, changed: [] })
})

test.each(['server.maxPlayers', 'maxPlayers=8', '=8'])('settings set %s is wrong usage', async (given) => {
  expect(await run(['settings', 'set', given], at(server()))).toMatchObject({ code: 2, stdout: '' })
})

test('the same setting twice is wrong usage', async () => {
  const twice = ['settings', 'set', 'server.maxPlayers=8', 'server.maxPlayers=9']
  expect((await run(twice, at(server()))).code).toBe(2)
})

test('a setting that farmgate does not know is refused by its name, and the file stays', async () => {
  const before = readFileSync(settingsFile, 'utf8')
  const refused = await run(['settings', 'set', 'server.maxPlayer=8'], at(server()))
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('server.maxPlayer')
  expect(readFileSync(settingsFile, 'utf8')).toBe(before)
})
