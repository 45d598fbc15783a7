/** Every call about the mods, once. */
import { expect } from 'vitest'
import type { Farm } from '../../../client/index.ts'
import { zipOf } from '../../services/mods/farm-mods.ts'
import type { CallsUnderTest } from './call-under-test.ts'

let last = 0
/** Installs a mod that no other test uses. */
async function installed(farm: Farm) {
  last += 1
  const id = `Abby.Mod${last}`
  const answer = await farm.installMods({ content: new Blob([new Uint8Array(zipOf({ [id]: { id } }))]) })
  expect(answer).toEqual({
    installed: [{ id, name: `Mod${last}`, version: '1.0.0', folder: id }],
    replaced: [],
  })
  return { id, answer }
}
const enabled = async (farm: Farm, id: string) =>
  (await farm.mods()).mods.find((one) => one.id === id)?.enabled

export const modCalls = {
  async mods(farm) {
    const { id } = await installed(farm)
    const listed = await farm.mods()
    expect(listed.mods).toContainEqual(
      expect.objectContaining({ id, enabled: true, side: 'unknown', problems: [] }),
    )
    expect(listed).toMatchObject({ restartNeeded: true, access: 'rw' })
    return listed
  },
  installMods: async (farm) => (await installed(farm)).answer,
  async disableMod(farm) {
    const { id } = await installed(farm)
    const done = await farm.disableMod({ id: id.toUpperCase() })
    expect(await enabled(farm, id)).toBe(false)
    return done
  },
  async enableMod(farm) {
    const { id } = await installed(farm)
    await farm.disableMod({ id })
    const done = await farm.enableMod({ id })
    expect(await enabled(farm, id)).toBe(true)
    return done
  },
  async deleteMod(farm) {
    const { id } = await installed(farm)
    const done = await farm.deleteMod({ id, force: true })
    expect(await enabled(farm, id)).toBeUndefined()
    return done
  },
  async changeMod(farm) {
    const { id } = await installed(farm)
    const done = await farm.changeMod({ id, side: 'players' })
    expect((await farm.mods()).mods).toContainEqual(expect.objectContaining({ id, side: 'players' }))
    return done
  },
  async createPackLink(farm) {
    const link = await farm.createPackLink({ expiresInDays: 7 })
    expect(link).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      url: expect.stringMatching(/mods\/shared-pack\?link=[\w-]{43}$/),
      expiresAt: expect.any(String),
    })
    return link
  },
  async packLinks(farm) {
    const { id, expiresAt } = await farm.createPackLink({ expiresInDays: 7 })
    const list = await farm.packLinks()
    expect(list.links[0]).toMatchObject({ id, expiresAt })
    return list
  },
  async revokePackLink(farm) {
    const { id } = await farm.createPackLink({ expiresInDays: 7 })
    const done = await farm.revokePackLink({ id })
    expect((await farm.packLinks()).links.filter((link) => link.id === id)).toEqual([])
    return done
  },
  async modUpdates(farm) {
    await expect(farm.modUpdates()).rejects.toMatchObject({ code: 'unsupported' })
    return { updates: [] }
  },
} satisfies Partial<CallsUnderTest>
