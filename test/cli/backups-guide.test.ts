/** "From nothing to a tested restore" of docs/backups.md: its farmgate commands, in order. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, inTerminal, newFolder, run } from './farmgate.ts'
import { savedAtRest } from './saved-at-rest.ts'

const server = sharedServer(nodeServer)
const [, section = ''] =
  /\n## From nothing to a tested restore[^\n]*\n(.*?)\n## /s.exec(readFileSync('docs/backups.md', 'utf8')) ??
  []

/** The commands of the page, with the id and the path filled in. */
const commands = (id: string, zip: string) =>
  [...section.matchAll(/^ {7}farmgate (.*?)(?: {2,}#.*)?$/gm)].map(([, line = '']) =>
    line.split(' ').map((word) => word.replace('<id>', id).replace('test.zip', zip)),
  )

test('the commands of the guide make a backup, show its contents and restore it once the name of the farm is typed', async () => {
  await savedAtRest(server())
  const farm = at(server())
  const zip = join(newFolder(), 'test.zip')
  expect(commands('', zip).map(([name]) => name)).toEqual([
    'backups',
    'backups',
    'backups',
    'import',
    'restore',
    'restore',
  ])
  const made = await run([...(commands('', zip)[0] ?? []), '--json'], farm)
  const { id } = JSON.parse(made.stdout)
  const [, list = [], download = [], check = [], dryRun = [], restore = []] = commands(id, zip)
  expect((await run(list, farm)).stdout).toMatch(new RegExp(`${id}.*yes`, 's'))
  expect((await run(download, farm)).code).toBe(0)
  expect((await run(check)).stdout).toMatch(/Farm +Junimo\n/)
  expect((await run(dryRun, farm)).stdout).toContain('would be restored')
  const { type, sees, exit } = inTerminal(restore, farm)
  await sees('would be restored')
  await sees('Type Junimo to continue: ')
  type('Junimo\r')
  await sees('is restored')
  expect(await exit).toBe(0)
})
