/** `farmgate import`. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { savingSteps } from '../../bridges/simulated/save-files.ts'
import { openRecords } from '../../services/records/open-records.ts'
import { hostileZips } from '../backups/hostile-zips.ts'
import { clover } from '../backups/saved-farm.ts'
import { recorder } from '../logs.ts'
import { newFolder, run } from './farmgate.ts'

test('import shows what is in a save, adds it to the others and names the one console line that plays it', async () => {
  const folder = newFolder()
  const save = { ...clover, host: 'Robin', farmhands: ['Abby'] }
  for (const step of savingSteps(join(folder, 'mine'), save)) step.run()
  const from = join(folder, 'mine', 'Clover_123456789')
  mkdirSync(join(folder, 'Saves'))

  const checked = await run(['import', from, '--check'])
  expect([checked.code, readdirSync(join(folder, 'Saves'))]).toEqual([0, []])
  expect(checked.stdout).toMatch(/Farm +Clover\n.*summer 5, year 1\n.*Robin\n.*Robin, Abby\n/s)
  expect((await run(['import', from])).code).toBe(2)

  const placed = await run(['import', from], { SAVES_DIR: folder })
  expect(placed.code).toBe(0)
  expect(placed.stdout.split('\n')).toContain('saves import Clover_123456789 --reload')
  expect(readdirSync(join(folder, 'Saves'))).toEqual(['Clover_123456789'])

  const again = await run(['import', from, '--saves', folder, '--json'])
  expect(again.code).toBe(3)
  expect(again.stderr).toContain('There is a save Clover_123456789 already')
})

test('export writes the farm into one file that import opens with the same passphrase', async () => {
  const folder = newFolder()
  for (const step of savingSteps(join(folder, 'Saves'), { ...clover, farmId: 7 })) step.run()
  const file = join(folder, 'clover.farm')
  const written = await run(['export', file], { SAVES_DIR: folder }, 'a long passphrase\n')
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining(`Clover_7 is in ${file}`)])
  const to = join(folder, 'new')
  mkdirSync(join(to, 'Saves'), { recursive: true })
  const wrong = await run(['import', file], { SAVES_DIR: to }, 'another passphrase\n')
  expect([wrong.code, readdirSync(join(to, 'Saves'))]).toEqual([3, []])
  const placed = await run(['import', file], { SAVES_DIR: to }, 'a long passphrase\n')
  expect(placed.code).toBe(0)
  expect(placed.stdout).toContain('saves import Clover_7 --reload')
  expect(readdirSync(join(to, 'Saves'))).toEqual(['Clover_7'])
})

test('an import of a farm lists what came and how many keys stayed behind; with --with-keys each key by its name', async () => {
  const folder = newFolder()
  for (const step of savingSteps(join(folder, 'Saves'), { ...clover, farmId: 7 })) step.run()
  const records = openRecords(join(folder, 'data'), { audit: 90, history: 90, chat: 30 }, recorder([]))
  const port = records.of('local')
  for (const name of ['Bot', 'Website']) await port.makeKey({ name, scopes: ['read'] })
  const row = { requestId: 'one', address: '192.0.2.7', action: 'setTime', parameters: {} }
  await port.endedWrite(await port.beganWrite(row), { outcome: 'done', status: 200 })
  await records.close()
  const file = join(folder, 'clover.farm')
  const passphrase = 'a long passphrase\n'
  const succeeded = async (...ran: Parameters<typeof run>) => {
    const { code, stdout, stderr } = await run(...ran)
    expect([code, stderr]).toEqual([0, expect.any(String)])
    return stdout
  }
  await succeeded(['export', file], { SAVES_DIR: folder, DATA_DIR: join(folder, 'data') }, passphrase)
  const check = (...more: readonly string[]) =>
    succeeded(['import', file, '--check', ...more], {}, passphrase)
  const without = await check()
  expect(without).toMatch(/Records +audit: 1\n/)
  expect(without).toMatch(/^2 keys stay behind, .*; --with-keys brings them\.$/m)
  expect(without).not.toContain('Website')
  const all = await check('--with-keys')
  expect(all).toMatch(/Records +audit: 1, keys and sessions: 2\nKey +Bot\nKey +Website\n/)
  expect(all).not.toContain('behind')
})

test('import and its check refuse a zip that takes much memory, and unpack nothing into the temporary folder', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'Saves'))
  mkdirSync(join(folder, 'tmp'))
  const env = { SAVES_DIR: folder, TMPDIR: join(folder, 'tmp') }
  for (const what of [
    'a manifest of 8 MiB with four million people',
    'one entry of 32,000 folders',
  ] as const) {
    const zip = join(folder, 'hostile.zip')
    writeFileSync(zip, hostileZips[what]())
    for (const more of [[], ['--check']]) expect((await run(['import', zip, ...more], env)).code).toBe(3)
  }
  const entries = [join(folder, 'Saves'), join(folder, 'tmp')].map((path) => readdirSync(path))
  expect(entries).toEqual([[], []])
})
