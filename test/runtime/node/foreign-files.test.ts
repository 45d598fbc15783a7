/** What the game and others leave in the folders that farmgate reads at its start. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { mostMemory } from '../../most-memory.ts'
import { newFolder } from '../../new-folder.ts'
import { serving } from './farmgate-process.ts'

/** A list of so many megabytes, with two million values in four. */
const list = (member: string, megabytes: number) => `{"${member}":[${'0,'.repeat(megabytes * 512 * 1024)}0]}`

test.each([
  ['a journal of changed mods', 'Mods/.farmgate-mods/journal.json', list('moves', 3.9)],
  ['an index of backups', 'backups/index.json', list('backups', 200)],
  ['what is known of the mods', 'data/mods.json', list('links', 200)],
])('%s, however large, takes no memory at the start', async (_, path, content) => {
  const root = newFolder()
  const at = (name: string) => join(root, name)
  for (const folder of ['game/Saves', 'backups', 'Mods']) mkdirSync(at(folder), { recursive: true })
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), content)
  const farm = await serving({
    DATA_DIR: at('data'),
    SAVES_DIR: at('game'),
    BACKUP_DIR: at('backups'),
    MODS_DIR: at('Mods'),
    MODS_OFF_DIR: at('Mods.off'),
    MODS_ACCESS: 'rw',
    ALLOW_INSECURE_SETUP: 'true',
  })
  for (const call of ['/mods', '/backups']) await (await fetch(farm.url + call)).text()
  expect(mostMemory(farm.child.pid)).toBeLessThan(350 * 1024 ** 2)
})

test.each([
  ['one id', () => ({ id: 'A.Mod', needs: [{ UniqueID: 'a.mod', MinimumVersion: '2.0.0' }] })],
  [
    '200 missing dependencies each',
    (at: number) => ({
      id: `A.${at}`,
      needs: Array.from({ length: 200 }, (_, need) => ({ UniqueID: `B.${need}`.padEnd(128, 'x') })),
    }),
  ],
])('40 callers of GET /mods at once, with 1,000 mods of %s, stay below 512 MiB', async (_, mod) => {
  const root = newFolder()
  for (let at = 0; at < 1000; at += 1) {
    const { id, needs } = mod(at)
    const manifest = { Name: id, Version: '1.0.0', UniqueID: id, EntryDll: 'a.dll', Dependencies: needs }
    const folder = join(root, 'Mods', `M${at}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
  }
  const farm = await serving({
    DATA_DIR: join(root, 'data'),
    MODS_DIR: join(root, 'Mods'),
    ALLOW_INSECURE_SETUP: 'true',
  })
  const read = async () => {
    const response = await fetch(`${farm.url}/mods`)
    return [response.status, (await response.arrayBuffer()).byteLength < 8 * 1024 ** 2]
  }
  for (let round = 0; round < 3; round += 1)
    expect(new Set((await Promise.all(Array.from({ length: 40 }, read))).map(String))).toEqual(
      new Set(['200,true']),
    )
  expect(mostMemory(farm.child.pid)).toBeLessThan(512 * 1024 ** 2)
})
