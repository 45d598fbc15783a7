/** `PATCH /settings` while a person edits the file by hand, and on a full disk. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { beforeEachDiskChange, type DiskChange } from '../../backups/disk-changes.ts'
import { askWithKey, expectProblem } from '../../contract/request.ts'
import { sharedServer } from '../../contract/shared-server.ts'
import { sharedFolder } from '../../new-folder.ts'
import { nodeServer } from './node-server.ts'

const folder = sharedFolder()
const path = join(folder, 'server-settings.json')
const before = `{
  // By hand: /* not the end */ "MaxPlayers": 1
  "Mods": { /* ours */ "Server": { "MaxPlayers": 3 }, "List": [1, /* two */ 2,], },
  "Game": { "FarmName": "Clover // no comment", "RandomSeed": 18446744073709551615 }, // seed
  "Server": {
    "Unknown": null, "maxplayers" /* how many */ : /* now */ 10 /* of us */, // many
    "Other": "x",
  },
  /* the end */
}
// Thank you.
`
const server = sharedServer(() => nodeServer({ settingsFile: path }))
const patch = (maxPlayers: number) =>
  askWithKey(server(), 'PATCH', '/settings', { json: { server: { maxPlayers } } })
const text = () => readFileSync(path, 'utf8')
beforeEach(() => writeFileSync(path, before))

/** Before each change of the file and of its folder. @returns a function that stops it; the test's end does so too */
function onChange(visit: (change: DiskChange) => void): () => void {
  const end = beforeEachDiskChange((change) => {
    if (change.file.includes('server-settings.json') || change.file === basename(folder)) visit(change)
  })
  onTestFinished(end)
  return end
}

test('a change replaces only the value: every comment and every unknown member, in any place, survives', async () => {
  expect((await patch(8)).status).toBe(200)
  expect(text()).toBe(before.replace('/* now */ 10', '/* now */ 8'))
})

describe('a file that a person edits during a change', () => {
  const edited = before.replace('"Other": "x"', '"Other": "by hand"')

  test('is 409 settings_changed and not overwritten; sent again, the change keeps the edit', async () => {
    const end = onChange(({ what }) => {
      if (what === 'make') writeFileSync(path, edited)
    })
    const reply = await patch(8)
    end()
    expectProblem(reply, 409, 'settings_changed', { retry: true })
    expect([text(), readdirSync(folder)]).toEqual([edited, ['server-settings.json']])
    expect((await patch(8)).status).toBe(200)
    expect(text()).toBe(edited.replace('/* now */ 10', '/* now */ 8'))
  })
})
