/** Every call about the saves in the game's folder, once. */
import { rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { saveName } from '../../../bridges/simulated/save-files.ts'
import { clover } from '../../backups/saved-farm.ts'
import { zippedSave } from '../../backups/zipped-save.ts'
import { pointerPath, pointTo } from '../../game-server/saved-game.ts'
import type { CallsUnderTest } from './call-under-test.ts'

/** The id of a farm that no other test uses. */
let nextId = 700_000_000
const another = () => {
  nextId += 1
  return { ...clover, farmName: 'Thistle', farmId: nextId }
}

export const saveCalls = {
  async saves(farm, { saved }) {
    const mine = another()
    saved.save(mine)
    const found = await farm.saves()
    expect(found.next).toEqual({ state: 'unknown' })
    expect(found.saves).toContainEqual({
      name: saveName(mine),
      farmName: 'Thistle',
      ...clover.date,
      people: [clover.host, ...clover.farmhands],
      host: { name: clover.host, isServer: true },
      bytes: expect.any(Number),
      savedAt: expect.any(String),
      active: false,
    })
    return found
  },
  async uploadSave(farm) {
    const mine = another()
    const content = new Blob([await zippedSave(mine)])
    expect(await farm.uploadSave({ content, dryRun: true })).toMatchObject({ name: saveName(mine) })
    const added = await farm.uploadSave({ content, save: saveName(mine) })
    expect((await farm.saves()).saves.map(({ name }) => name)).toContain(added.name)
    return added
  },
  async createDownload(farm) {
    const made = await farm.createDownload({ path: '/audit/export?action=setTime' })
    expect(made).toEqual({
      url: expect.stringMatching(/^downloads\/file\?code=[\w-]{43}$/),
      expiresAt: expect.any(String),
    })
    return made
  },
  async allowlist(farm) {
    await farm.setAllowlist({ accounts: [{ platform: 'galaxy', id: '17', note: 'Sam' }] })
    const list = await farm.allowlist()
    expect(list).toEqual({ accounts: [{ platform: 'galaxy', id: '17', note: 'Sam' }] })
    await farm.setAllowlist({ accounts: [] })
    return list
  },
  async setAllowlist(farm) {
    const done = await farm.setAllowlist({ accounts: [] })
    expect(await farm.allowlist()).toEqual({ accounts: [] })
    return done
  },
  async expectSave(farm, { saved }) {
    const { farmName, season, day, year } = await farm.status()
    const played = { farmName, farmId: 4_711, date: { season: season || 'spring', day, year } }
    saved.save(played)
    const name = saveName(played)
    const done = await farm.expectSave({ name })
    expect(done).toEqual({ success: true, message: `${name} is the save to play` })
    expect(await farm.saves()).not.toHaveProperty('unexpected')
    return done
  },
  async chooseSave(farm, { saved }) {
    const { farmName, season, day, year } = await farm.status()
    const played = { farmName, farmId: 4_711, date: { season: season || 'spring', day, year } }
    saved.save(played)
    const chosen = await farm.chooseSave({ name: saveName(played) })
    expect(chosen).toEqual({ success: true, message: `The game plays ${farmName} already`, output: [] })
    return chosen
  },
  async startNewFarm(farm, { saved }) {
    writeFileSync(saved.settingsPath, '{}')
    pointTo(saved.savesDir, null)
    const begun = await farm.startNewFarm({ farmName: 'Fern', when: 'night', reason: 'A new year' })
    expect(begun.operation).toMatchObject({ action: 'new_farm', when: 'night', reason: 'A new year' })
    const cancelled = await farm.cancelHostOperation(begun.operation)
    expect(cancelled.operation).toMatchObject({ state: 'cancelled' })
    rmSync(dirname(pointerPath(saved.savesDir)), { recursive: true })
    return begun
  },
} satisfies Partial<CallsUnderTest>
