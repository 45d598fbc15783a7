import { crc32, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { defaultSettings, settingsFromFile } from '../../../bridges/settings-file/farm-settings.ts'
import { failureOf } from '../contract/expectations.ts'
import { aFarm } from './a-farm.ts'

test('a write that waits for a frozen loop times out after 5 s, a deletion after 15 s, and is not made later', async () => {
  const { farm, clock, controls } = aFarm({ story: 'steered' })
  controls.freeze()
  const [time, deletion] = [
    failureOf(farm.setTime(1500)),
    failureOf(farm.deleteFarmhand({ id: 1n, label: '' })),
  ]
  clock.advance(4_999)
  expect(farm.health()).toMatchObject({ isFrozen: true, pendingActions: 2, lastTickMs: 4_999 })
  clock.advance(1)
  expect(await time).toEqual({ kind: 'timeout', write: true })
  clock.advance(10_000)
  expect(await deletion).toEqual({ kind: 'timeout', write: true })
  controls.thaw()
  expect((await farm.status()).timeOfDay).toBe(600)
})

test('there are sixty ticks a second while the loop runs, and none while it is frozen', () => {
  const { farm, clock, controls } = aFarm()
  const { tickCount } = farm.health()
  clock.advance(1_000)
  expect(farm.health().tickCount).toBe(tickCount + 60)
  controls.freeze()
  clock.advance(60_000)
  expect(farm.health().tickCount).toBe(tickCount + 60)
  controls.thaw()
  clock.advance(1_000)
  expect(farm.health().tickCount).toBe(tickCount + 120)
})

test('the clock of the farm stands still while the farm is frozen or offline', async () => {
  const { farm, clock, controls, events } = aFarm()
  for (const [stop, go] of [
    [controls.freeze, controls.thaw],
    [controls.goOffline, controls.comeBack],
  ] as const) {
    const { timeOfDay } = await farm.status()
    stop()
    const reported = events.length
    clock.advance(600_000)
    expect(events).toHaveLength(reported)
    go()
    expect(await farm.status()).toMatchObject({ isOnline: true, timeOfDay })
  }
})

test('the screenshot is a valid PNG, and its colours depend on the season', async () => {
  const { farm, clock } = aFarm({ story: 'steered' })
  const { success, base64Png, width, height } = await farm.screenshot()
  expect(success).toBe(true)
  const bytes = Buffer.from(base64Png ?? '', 'base64')
  expect([...bytes.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10])
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const named = bytes.subarray(at + 4, at + 8 + length)
    expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(named))
    chunks.set(named.toString('latin1', 0, 4), named.subarray(4))
    at += 12 + length
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND'])
  expect(chunks.get('IHDR')?.readUInt32BE(0)).toBe(width)
  expect(chunks.get('IHDR')?.readUInt32BE(4)).toBe(height)
  expect(inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))).toHaveLength((width * 3 + 1) * height)
  expect(await farm.screenshot()).toBe(await farm.screenshot())
  for (let day = 0; day < 28; day += 1) {
    await farm.setTime(2600)
    clock.advance(4_000)
  }
  expect((await farm.screenshot()).base64Png).not.toBe(base64Png)
})

test('with a password, joiners count as pending until they have logged in; without, all counts are zero', async () => {
  const { farm, clock, controls } = aFarm({ hasPassword: true, story: 'steered' })
  const online = (await farm.players()).players.length
  expect(await farm.passwordProtection()).toEqual({
    enabled: true,
    authenticatedCount: 0,
    pendingCount: online,
    timeoutSeconds: 120,
    maxAttempts: 3,
  })
  const [player] = (await farm.players()).players
  expect(controls.say(player?.id ?? 0n, 'let me in')).toBe(false)
  clock.advance(5_000)
  expect(await farm.passwordProtection()).toMatchObject({ authenticatedCount: online, pendingCount: 0 })
  expect(await farm.setLoginTimeout(60)).toBe(120)
  expect((await farm.passwordProtection()).timeoutSeconds).toBe(60)
  const open = aFarm().farm
  expect(await open.passwordProtection()).toMatchObject({ enabled: false, maxAttempts: 0, timeoutSeconds: 0 })
  expect((await failureOf(open.setLoginTimeout(60))).kind).toBe('unsupported')
})

test('a new game and a reload need a farm without connected players', async () => {
  const { farm, clock, controls } = aFarm({ story: 'steered' })
  const { players } = await farm.players()
  expect(await failureOf(farm.newGame({}))).toEqual({ kind: 'players_connected', count: players.length })
  expect(await failureOf(farm.reload())).toEqual({ kind: 'players_connected', count: players.length })
  for (const { id } of players) controls.leave(id)
  await farm.setTime(1800)
  expect(await farm.reload()).toBe('World reloaded')
  expect((await farm.status()).timeOfDay).toBe(600)
  await farm.setTime(2600)
  clock.advance(4_000)
  const { version } = await farm.status()
  const reported = await farm.newGame({
    farmType: 'beach',
    farmName: 'New',
    maxPlayers: 3,
    cabinStrategy: 'none',
  })
  expect(reported).toBe('New game created with farm type 6')
  expect(await farm.status()).toMatchObject({ farmName: 'New', farmTypeKey: 'Beach', maxPlayers: 3, day: 1 })
  expect((await farm.status()).version).toBeGreaterThan(version)
  expect((await farm.farmhands()).farmhands).toEqual([
    expect.objectContaining({ name: '', isCustomized: false }),
  ])
  expect((await farm.cabins()).strategy).toBe('None')
})

test('diagnostics have the fields of the game’s own record, in the same order', async () => {
  const { farm } = aFarm({ story: 'steered' })
  const record = await farm.diagnostics([['masterflag', 'x']])
  expect(Object.keys(record)).toEqual([
    'capturedAt',
    'otherFarmerUids',
    'onlineFarmerCount',
    'netReady',
    'newDaySync',
    'timeOfDay',
    'dayOfMonth',
    'season',
    'year',
    'gameMode',
    'isGameAvailable',
    'lastTickMs',
    'avgGameThreadWaitMs',
    'cabins',
    'farmhandData',
    'disconnectingFarmers',
    'farmHouseObjectCount',
    'farmHouseFurnitureCount',
    'farmHouseFridgeItemCount',
    'masterCellarObjectCount',
    'masterHasFlag',
    'masterCaveChoice',
    'masterDaysPlayed',
    'masterHasSpouse',
    'masterName',
    'saveImportFinalizeCount',
    'failedFields',
  ])
})

test('after close there are no events and no timers', async () => {
  const { farm, clock, events } = aFarm()
  await farm.close()
  const reported = events.length
  clock.advance(3_600_000)
  expect(events).toHaveLength(reported)
})

test('missing keys have the game’s defaults', () => {
  expect(defaultSettings).toEqual({
    shown: {
      game: {
        farmName: 'Junimo',
        farmType: 0,
        profitMargin: 1,
        startingCabins: 1,
        spawnMonstersAtNight: 'auto',
      },
      server: {
        maxPlayers: 10,
        cabinStrategy: 'CabinStack',
        separateWallets: false,
        existingCabinBehavior: 'KeepExisting',
      },
    },
    allowIpConnections: false,
    enforceFarmhandOwnership: true,
    adminIds: [],
  })
})

test('keys match in any case, unknown ones are ignored', () => {
  const text =
    '\uFEFF{"GAME":{"farmNAME":"Клевер","FarmType":"Riverland","Nonsense":1},"server":{"MAXPLAYERS":4,"CabinStrategy":"none"},"X":[]}'
  const { shown } = settingsFromFile(text)
  expect(shown.game).toMatchObject({ farmName: 'Клевер', farmType: 'Riverland' })
  expect(shown.server).toMatchObject({ maxPlayers: 4, cabinStrategy: 'None' })
})

test('a broken file is an error that names everything wrong with it', () => {
  expect(() => settingsFromFile('{"Game":')).toThrow(/server-settings\.json is not JSON/)
  expect(() => settingsFromFile('[1]')).toThrow(/server-settings\.json/)
  expect(() =>
    settingsFromFile('{"Server":{"MaxPlayers":"many","CabinStrategy":"Tents"},"Game":{"FarmName":7}}'),
  ).toThrow(
    'server-settings.json: game.farmname must be a text; server.maxplayers must be a number; server.cabinstrategy must be one of CabinStack, FarmhouseStack, None',
  )
})

test('the farm has the values of its settings', async () => {
  const settings = settingsFromFile('{"Game":{"FarmName":"Clover","FarmType":3},"Server":{"MaxPlayers":4}}')
  const { farm } = aFarm({ settings })
  expect(await farm.settings()).toBe(settings.shown)
  expect(await farm.status()).toMatchObject({
    farmName: 'Clover',
    farmTypeKey: 'Hilltop',
    maxPlayers: 4,
    serverVersion: 'simulated-1.2.3',
    gameVersion: '1.6.15',
  })
})

test('a reload reads the settings file, except the settings that only a new game uses', async () => {
  let file = '{"Game":{"FarmName":"Clover"},"Server":{"MaxPlayers":4}}'
  const { farm, controls } = aFarm({
    settings: settingsFromFile(file),
    readSettings: () => settingsFromFile(file),
    story: 'steered',
  })
  file = '{"Game":{"FarmName":"Thistle"},"Server":{"MaxPlayers":6,"SeparateWallets":true}}'
  for (const { id } of (await farm.players()).players) controls.leave(id)
  await farm.reload()
  expect(await farm.settings()).toMatchObject({
    game: { farmName: 'Clover' },
    server: { maxPlayers: 6, separateWallets: false },
  })
  await farm.newGame({})
  expect(await farm.settings()).toMatchObject({
    game: { farmName: 'Thistle' },
    server: { separateWallets: true },
  })
})
