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
