/** Archives in `BACKUP_DIR` with a manifest from anyone: they are refused, and stop nothing else. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { craftedZip } from '../../backups/crafted-zip.ts'
import { manifestOf } from '../../backups/manifest.ts'
import { farmToRestore } from './farm-to-restore.ts'
import { name } from './loading-game.ts'

const sha256 = 'a'.repeat(64)
const whole = manifestOf({ people: ['Server'], files: [{ path: name, bytes: 1, sha256 }] })

const manifests: readonly [what: string, manifest: string | Buffer][] = [
  ['of no JSON', '{'],
  ['of other JSON', '[]'],
  ['of 9 MB', Buffer.alloc(9_000_000, ' ')],
  ['with endless nesting', '['.repeat(100_000)],
  ['with a save that leaves the folder', JSON.stringify({ ...whole, save: '../../backups' })],
  ['with a save that is farmgate’s own folder', JSON.stringify({ ...whole, save: '.farmgate-restore-old' })],
  ['with a save that is not the farm’s', JSON.stringify({ ...whole, save: 'Other_1' })],
  ['with an absolute path', JSON.stringify({ ...whole, files: [{ path: '/etc/passwd', bytes: 1, sha256 }] })],
  [
    'with a path that leaves the folder',
    JSON.stringify({ ...whole, files: [{ path: '../x', bytes: 1, sha256 }] }),
  ],
  ['with a file that is not there', JSON.stringify(whole)],
  ['with a negative length', JSON.stringify({ ...whole, files: [{ path: name, bytes: -1, sha256 }] })],
  ['with a day that is none', JSON.stringify({ ...whole, day: 1e9 })],
  ['with no files', JSON.stringify({ ...whole, files: [] })],
  [
    'with sixty thousand files',
    JSON.stringify({
      ...whole,
      files: Array.from({ length: 60_000 }, (_one, at) => ({ path: String(at), bytes: 1, sha256 })),
    }),
  ],
  [
    'with members of the prototype',
    JSON.stringify(whole).replace('{', '{"__proto__":{"torn":true},"constructor":1,'),
  ],
]

test.each(manifests)(
  'a manifest %s is not restored, and the other backups are listed',
  async (_what, manifest) => {
    const { saved, atDay9, day } = farmToRestore()
    const { id, port, close } = await atDay9()
    mkdirSync(saved.folder, { recursive: true })
    writeFileSync(
      join(saved.folder, 'hostile.zip'),
      craftedZip([{ name: 'farmgate-backup.json', content: manifest }]),
    )
    const before = readFileSync(join(saved.folder, `${id}.zip`))
    const { backups } = await port.backups()
    expect(backups.map((backup) => backup.id)).toContain(id)
    const refused = await port.restoreBackup('hostile', false).catch((error: unknown) => error)
    if (refused !== undefined) expect(refused).toMatchObject({ failure: { kind: 'restore_refused' } })
    expect([day(), readdirSync(saved.saves)]).toEqual([9, [name]])
    expect(readFileSync(join(saved.folder, `${id}.zip`)).equals(before)).toBe(true)
    expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
    await close()
  },
)
