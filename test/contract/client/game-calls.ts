/** Every call that the game answers, once, with checks of its answer. */
import { expect } from 'vitest'
import { eventually } from '../../wait.ts'
import type { CallsUnderTest } from './call-under-test.ts'
import { empty, offline } from './visitors.ts'

export const gameCalls = {
  async health(farm) {
    const health = await farm.health()
    expect(health).toMatchObject({ status: 'ok', gameAvailable: true })
    return health
  },
  ready: (farm) => farm.ready(),
  async status(farm) {
    const status = await farm.status()
    expect(status).toMatchObject({ isOnline: true, steamInviteCode: expect.any(String) })
    return status
  },
  async players(farm, { farm: game }) {
    const id = 2n ** 62n + 3n
    await game.join({ id, name: 'Player' })
    const players = await eventually(async () => {
      const now = await farm.players()
      expect(now.players).toContainEqual(expect.objectContaining({ id, name: 'Player' }))
      return now
    })
    await game.leave(id)
    return players
  },
  async inviteCode(farm) {
    const code = await farm.inviteCode()
    expect(code).toEqual({ inviteCode: expect.any(String) })
    return code
  },
  async farmhands(farm) {
    const farmhands = await farm.farmhands()
    expect(farmhands.farmhands.length).toBeGreaterThan(0)
    return farmhands
  },
  async deleteFarmhand(farm, server) {
    await offline(server, 77n, 'Leaver')
    const done = await eventually(() => farm.deleteFarmhand({ name: 'leaver' }))
    expect((await farm.farmhands()).farmhands.map(({ id }) => id)).not.toContain(77n)
    return done
  },
  async rebindFarmhand(farm, server) {
    const playerId = 2n ** 61n + 5n
    await offline(server, playerId, 'Rebound')
    const done = await eventually(() => farm.rebindFarmhand({ playerId, identity: '76561198000000001' }))
    const { farmhands } = await farm.farmhands()
    expect(farmhands).toContainEqual(expect.objectContaining({ id: playerId, claimedVia: 'relay' }))
    return done
  },
  async join(farm) {
    const report = await farm.join()
    expect(report.checks[0]).toEqual({ check: 'process', state: 'ok', message: 'The game runs.' })
    return report
  },
  settings: (farm) => farm.settings(),
  async changeSettings(farm) {
    const change = await farm.changeSettings({ server: { maxPlayers: 8 } })
    expect(change.changed).toEqual([{ setting: 'server.maxPlayers', takesEffect: 'reload' }])
    return change
  },
  async cabins(farm) {
    const cabins = await farm.cabins()
    expect(cabins.cabins.length).toBeGreaterThan(0)
    return cabins
  },
  rendering: (farm) => farm.rendering(),
  async setRendering(farm) {
    const set = await farm.setRendering({ fps: 15 })
    expect(await farm.rendering()).toEqual({ fps: 15 })
    return set
  },
  async setTime(farm) {
    const set = await farm.setTime({ value: 1300 })
    expect(set.timeOfDay).toBe(1300)
    return set
  },
  async grantAdmin(farm, server) {
    await offline(server, 88n, 'Boss')
    const granted = await eventually(() => farm.grantAdmin({ name: 'boss' }))
    expect(granted).toMatchObject({ playerId: 88n, playerName: 'Boss' })
    expect(server.farm.isAdmin(88n)).toBe(true)
    return granted
  },
  async announce(farm, { farm: game }) {
    const before = game.writes()
    const done = await farm.announce({ message: 'The farm restarts at 6' })
    expect(game.writes()).toBe(before + 1)
    return done
  },
  stats: (farm) => farm.stats(),
  async screenshot(farm) {
    const screenshot = await farm.screenshot()
    expect(screenshot).toMatchObject({ success: true, base64Png: expect.stringMatching(/^iVBOR/) })
    return screenshot
  },
  async setClockSpeed(farm) {
    const set = await farm.setClockSpeed({ multiplier: 2 })
    expect(set.multiplier).toBe(2)
    return set
  },
  passwordProtection: (farm) => farm.passwordProtection(),
  async setLoginTimeout(farm) {
    const set = await farm.setLoginTimeout({ value: 90 })
    expect((await farm.passwordProtection()).timeoutSeconds).toBe(90)
    return set
  },
  async createNewGame(farm, server) {
    await empty(farm, server)
    const done = await farm.createNewGame({ farmName: 'Second', profitMargin: 0.5 })
    expect((await farm.settings()).game).toMatchObject({ farmName: 'Second', profitMargin: 0.5 })
    return done
  },
  async reloadWorld(farm, server) {
    await empty(farm, server)
    return farm.reloadWorld()
  },
  async diagnosticsState(farm) {
    const state = await farm.diagnosticsState({ masterFlag: 'ccPantry' })
    expect(state).toHaveProperty('masterHasFlag')
    return state
  },
  async waitForStatus(farm) {
    const status = await farm.waitForStatus({ isReady: true, timeout: 10_000 })
    expect(status.isReady).toBe(true)
    return status
  },
  async waitForPlayers(farm, { farm: game }) {
    const id = 2n ** 60n + 7n
    const waiting = farm.waitForPlayers({ playerId: id, timeout: 10_000 })
    await game.join({ id, name: 'Awaited' })
    const players = await waiting
    expect(players.players.map((player) => player.id)).toContain(id)
    await game.leave(id)
    return players
  },
  async waitForFarmhands(farm, server) {
    await offline(server, 99n, 'Waited')
    const farmhands = await farm.waitForFarmhands({ hasFarmhand: 'waited', timeout: 10_000 })
    expect(farmhands.farmhands.map(({ name }) => name)).toContain('Waited')
    return farmhands
  },
  waitForHealth: (farm) => farm.waitForHealth({ ready: true, timeout: 10_000 }),
} satisfies Partial<CallsUnderTest>
