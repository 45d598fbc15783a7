/** `farmgate saves` with a real server: list, load, new and add. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadSave } from '../../bridges/simulated/save-files.ts'
import { clover } from '../backups/saved-farm.ts'
import { zippedSave } from '../backups/zipped-save.ts'
import { hostedGame, key } from '../game-server/hosted-game.ts'
import { pointTo } from '../game-server/saved-game.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { openedFarm } from '../runtime/node/open-farm.ts'
import { plainDriver } from '../services/host/plain-driver.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, newFolder, run } from './farmgate.ts'

/** A game that plays Clover, has Thistle and Oak (which Robin has hosted) next to it, and loads what its console names. */
async function served() {
  const driver = plainDriver()
  const server: NodeServer = await nodeServer({
    driver: {
      ...driver,
      async type(line) {
        const [, name = ''] = /^saves import (\S+)/.exec(line) ?? []
        const { farmName = '' } = loadSave(server.saved.saves, name) ?? {}
        await server.bridge.newGame({ farmName })
        await driver.type(line)
      },
    },
  })
  onTestFinished(() => server.stop())
  const date = { season: 'spring', day: 1, year: 1 } as const
  for (const { id } of (await server.bridge.players()).players) await server.farm.leave(id)
  await server.bridge.newGame({ farmName: 'Clover' })
  server.saved.save({ date })
  server.saved.save({ date, farmName: 'Thistle', farmId: 42 })
  server.saved.save({ date, farmName: 'Oak', farmId: 7, host: 'Robin' })
  const point = (name: string | null) => pointTo(server.saved.savesDir, name)
  return { server, driver, point, farmgate: (...args: string[]) => run(args, at(server)) }
}

test('saves lists the day, the host, the active save and the one that the next start loads', async () => {
  const { farmgate, point } = await served()
  point('Oak_7')
  const { stdout, stderr, code } = await farmgate('saves')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Clover_123456789 +Clover +spring 1, year 1 +the server +active *$/m)
  expect(stdout).toMatch(/^Oak_7 +Oak +spring 1, year 1 +Robin +next *$/m)
  expect(JSON.parse((await farmgate('saves', '--json')).stdout)).toMatchObject({
    next: { state: 'ok', save: 'Oak_7' },
  })
})

test.each([
  ['Gone_42', 'farmgate repairs it to Thistle_42 before it starts the game.'],
  ['Gone_1', "creates a new farm: the game's pointer names Gone_1, which is not there."],
  [null, "creates a new farm: the game's pointer names no save."],
])('saves says what the next start does with a pointer to %s', async (name, sentence) => {
  const { farmgate, point } = await served()
  point(name)
  expect((await farmgate('saves')).stderr).toContain(sentence)
})

test('saves load asks for the name, says what is lost, and has the game load the save', async () => {
  const { server, driver } = await served()
  const { type, sees, exit } = inTerminal(['saves', 'load', 'Thistle_42'], at(server))
  await sees('It stops playing Clover')
  await sees('Type Thistle_42 to continue: ')
  type('Thistle_42\r')
  expect(await exit).toBe(0)
  expect(driver.asked).toEqual(['type saves import Thistle_42 --reload'])
})

test('saves load exits 3 for a host that is not decided and 4 for an unknown save, and types nothing', async () => {
  const { farmgate, driver } = await served()
  expect(await farmgate('saves', 'load', 'Oak_7', '--yes')).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(
      /Robin, has hosted this save.*--host-to <Steam64 or GOG id>.*--host-to server/s,
    ),
  })
  expect(await farmgate('saves', 'load', 'Ash_1', '--yes')).toMatchObject({ code: 4 })
  expect(await farmgate('saves', 'load', 'Oak_7', '--host-to', 'Robin', '--yes')).toMatchObject({ code: 2 })
  expect(await farmgate('saves', 'load', 'Thistle_42')).toMatchObject({ code: 2 })
  expect(driver.asked).toEqual([])
  expect(await farmgate('saves', 'load', 'Oak_7', '--host-to', 'server', '--yes')).toMatchObject({ code: 0 })
  expect(driver.asked).toEqual(['type saves import Oak_7 --reload'])
})

test('saves add shows what is in a zip, adds it, and refuses one that exists', async () => {
  const { farmgate, server } = await served()
  const zip = join(newFolder(), 'farm.zip')
  writeFileSync(zip, await zippedSave({ ...clover, farmName: 'Fern', farmId: 8, host: 'Robin' }))
  const shown = 'Fern_8: Fern, summer 5, year 1, Robin, Abby, Robin & Lewis\n'
  expect(await farmgate('saves', 'add', zip, '--check')).toMatchObject({ code: 0, stdout: shown, stderr: '' })
  expect(loadSave(server.saved.saves, 'Fern_8')).toBeUndefined()
  expect(await farmgate('saves', 'add', zip)).toMatchObject({
    code: 0,
    stdout: shown,
    stderr: 'To play it: farmgate saves load Fern_8\n',
  })
  expect(loadSave(server.saved.saves, 'Fern_8')).toMatchObject({ farmName: 'Fern' })
  expect((await farmgate('saves', 'add', zip)).code).toBe(3)
  expect(await farmgate('saves', 'add', '/nowhere.zip')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The file /nowhere.zip cannot be read'),
  })
})

test('saves says that the game plays another farm, until saves expect says that it is right', async () => {
  const { farmgate, server } = await served()
  await server.rightFarm.tick()
  await server.bridge.newGame({ farmName: 'Thistle' })
  await server.rightFarm.tick()
  const sentence = 'The game plays Thistle (spring 1, year 1), not Clover (spring 1, year 1).'
  expect((await farmgate('saves')).stderr).toContain(sentence)
  expect((await farmgate('saves', 'expect', 'Ash_1')).code).toBe(4)
  expect((await farmgate('saves', 'expect', 'Thistle_42')).code).toBe(0)
  expect((await farmgate('saves')).stderr).not.toContain(sentence)
})

/** A game that plays Clover, on a host that can stop and start it, without a console. @param more variables */
async function hosted(more: Readonly<Record<string, string>> = {}) {
  const game = await hostedGame()
  const { url } = await openedFarm({ ...game.env, ...more })
  const farmgate = (...args: string[]) => run(args, at({ url, key }))
  await eventually(async () => expect((await farmgate('status')).stdout).toContain('Clover'))
  return { ...game, url, farmgate }
}

const steps = ['stopping', 'preparing', 'starting', 'checking', 'succeeded']
const stepsOf = (stderr: string) => stderr.match(/(?<=Z )\w+$/gm)

test('without a console saves load --wait shows each step until the game plays the save', async () => {
  const { save, game, farmgate } = await hosted()
  save({ farmName: 'Oak', farmId: 7 })
  const loaded = await farmgate('saves', 'load', 'Oak_7', '--yes', '--wait')
  expect(loaded).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+ succeeded\n$/) })
  expect(stepsOf(loaded.stderr)).toEqual(expect.arrayContaining(steps))
  expect(game.played()).toMatchObject({ folder: 'Oak_7' })
})

test('saves new asks for the name, says what happens to the present farm, and shows each step until the game plays the new one', async () => {
  const { game, url, settingsPath } = await hosted()
  const { type, sees, exit } = inTerminal(
    ['saves', 'new', 'Fern', '--kind', '1', '--cabins', '3', '--money', 'separate', '--no-backup', '--wait'],
    at({ url, key }),
  )
  await sees('It stops playing Clover, which stays in the list: farmgate saves load Clover_123456789')
  await sees('Type Fern to continue: ')
  type('Fern\r')
  for (const step of steps) await sees(step)
  expect(await exit).toBe(0)
  expect(game.played()?.save.farmName).toBe('Fern')
  expect(JSON.parse(readFileSync(settingsPath, 'utf8'))).toEqual({
    Game: { FarmName: 'Fern', FarmType: 1, StartingCabins: 3 },
    Server: { SeparateWallets: true },
  })
})

test('saves new exits 2 for a wrong option and where no one can be asked, and 1 with the variable where the game has no host', async () => {
  const { farmgate, asked } = await hosted()
  expect(await farmgate('saves', 'new', 'Fern')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Add --yes'),
  })
  for (const wrong of [
    ['--money', 'mine'],
    ['--monsters', 'never'],
    ['--cabins', 'many'],
    ['--kind', '8'],
    ['--profit-margin', '2'],
  ])
    expect([wrong, (await farmgate('saves', 'new', 'Fern', '--yes', ...wrong)).code]).toEqual([wrong, 2])
  expect(asked).toEqual([])
  const hostless = await hosted({ GAME_HOST: '' })
  expect(await hostless.farmgate('saves', 'new', 'Fern', '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('GAME_HOST'),
  })
})
