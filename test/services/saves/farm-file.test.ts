/** A farm moves as one encrypted file. A file that is torn, hostile or of another version changes nothing. */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Decrypter, Encrypter } from 'age-encryption'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { loadSave, saveName, savingSteps } from '../../../bridges/simulated/save-files.ts'
import { folderLockFile } from '../../../lib/shared-folder/folder-lock.ts'
import { openDatabase } from '../../../services/records/database.ts'
import { lockDataDir } from '../../../services/records/make-folder.ts'
import { migrations } from '../../../services/records/migrations.ts'
import { endInterruptedImport } from '../../../services/saves/begun-import.ts'
import { exportFarm, importFarm, isFarmFile } from '../../../services/saves/farm-file.ts'
import { type CraftedEntry, craftedZip } from '../../backups/crafted-zip.ts'
import { killedBefore } from '../../backups/disk-changes.ts'
import { largeFarmManifest } from '../../backups/hostile-zips.ts'
import { clover } from '../../backups/saved-farm.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { inMemory, newFolder, sharedFolder } from '../../new-folder.ts'

const passphrase = 'a long passphrase'
const name = saveName(clover)

function places(root = newFolder()) {
  const at = (path: string) => join(root, path)
  mkdirSync(at('game/Saves'), { recursive: true })
  return {
    root,
    savesDir: at('game'),
    settingsPath: at('settings/server-settings.json'),
    dataDir: at('data'),
    file: at('clover.farm'),
  }
}

/** A farm with a save, settings and records. */
async function exported(farm = places()) {
  for (const { run } of savingSteps(join(farm.savesDir, 'Saves'), clover)) run()
  mkdirSync(join(farm.root, 'settings'))
  writeFileSync(farm.settingsPath, '{"Game":{"FarmName":"Clover"}}')
  mkdirSync(farm.dataDir)
  const db = openDatabase(join(farm.dataDir, 'records.db'), { migrations })
  db.exec(`INSERT INTO allowlist (id, data) VALUES (1, '{"accounts":[]}')`)
  const done = await exportFarm(farm, { to: farm.file, passphrase, mods: ['Automate'] })
  db.close()
  return { ...farm, done }
}

/** Everything below a folder but the lock of DATA_DIR, with the content of files. */
const treeOf = (folder: string): unknown =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name !== folderLockFile)
    .map((one) => [one.name, readFileSync(join(one.parentPath, one.name)).toString('base64')])
    .sort()

const take = (to: ReturnType<typeof places>, from: string, more: object = {}) =>
  importFarm(to, { from, passphrase, isCheck: false, ...more }, Date.now())

/** Imports a file, and expects that nothing is added anywhere. */
async function refused(content: Uint8Array, message: RegExp, to = places()) {
  writeFileSync(to.file, content)
  const before = treeOf(to.root)
  await expect(take(to, to.file)).rejects.toThrow(message)
  expect(treeOf(to.root)).toEqual(before)
}

/** Encrypts with a key that takes no time to derive. */
function encrypted(plain: Uint8Array) {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(1)
  return encrypter.encrypt(plain)
}
const shared = places(sharedFolder())
/** An export, with such a key. */
const { file } = shared
beforeAll(async () => {
  await exported(shared)
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  writeFileSync(file, await encrypted(await decrypter.decrypt(readFileSync(file))))
})

const described = (more: object = {}) => ({
  name: 'farm.json',
  content: JSON.stringify({ farmgateFarm: 1, save: name, mods: [], digests: {}, ...more }),
})

test('an export has save, settings, list of mods and records, and an import puts each in its place', async () => {
  const from = await exported()
  expect(from.done).toEqual({ save: name, parts: ['server-settings.json', 'records.db'] })
  expect(statSync(from.file).mode & 0o777).toBe(0o600)
  expect(await isFarmFile(from.file)).toBe(true)
  expect(readFileSync(from.file).includes('Clover')).toBe(false)
  const to = places()
  expect(await take(to, from.file, { isCheck: true })).toMatchObject({ save: name, mods: ['Automate'] })
  expect(treeOf(to.root)).toEqual([])
  expect(await take(to, from.file)).toMatchObject({ save: name, farmName: 'Clover', mods: ['Automate'] })
  expect(loadSave(join(to.savesDir, 'Saves'), name)).toEqual({ farmName: 'Clover', date: clover.date })
  expect(readFileSync(to.settingsPath, 'utf8')).toBe('{"Game":{"FarmName":"Clover"}}')
  const db = new DatabaseSync(join(to.dataDir, 'records.db'), { readOnly: true })
  expect(db.prepare('SELECT data FROM allowlist').get()).toEqual({ data: '{"accounts":[]}' })
  db.close()
  expect(standing(to)).toEqual(['Clover', ['server-settings.json'], ['records.db']])
})

/** What stands of a farm; lock files, and what the next import removes, have a dot before their names. */
const standing = ({ savesDir, settingsPath, dataDir }: ReturnType<typeof places>) => [
  loadSave(join(savesDir, 'Saves'), name)?.farmName,
  ...[join(settingsPath, '..'), dataDir].map((folder) =>
    existsSync(folder) ? readdirSync(folder).filter((one) => !one.startsWith('.')) : [],
  ),
]

test('an import that is killed before any change of the disk leaves no farm or a whole one after the next start, which says so, as the next import does', async () => {
  const [none, whole] = [
    [undefined, [], []],
    ['Clover', ['server-settings.json'], ['records.db']],
  ]
  const ends: unknown[] = []
  for (let at = 1; ; at += 1) {
    const to = places()
    const disk = killedBefore(at, (change) => change.file.includes('.farmgate-import-'))
    onTestFinished(disk.end)
    await take(to, file).catch(() => undefined)
    disk.end()
    if (!disk.wasReached()) break
    const again = places()
    cpSync(to.root, again.root, { recursive: true })
    const said: LogLine[] = []
    await endInterruptedImport(to, recorder(said))
    const [line] = said.map(({ message }) => message)
    const isWhole = standing(to)[0] !== undefined
    expect([at, standing(to)]).toEqual([at, isWhole ? whole : none])
    const isLikeLast = ends.length > 0 && ends.at(-1) === line
    ends.push(line)
    if (isLikeLast) continue
    const next = await take(again, file).then(
      () => 'imported',
      (error: Error) => error.message,
    )
    const finished = line?.includes('finished') === true
    expect([at, next]).toEqual([
      at,
      finished
        ? expect.stringContaining('is finished now')
        : isWhole
          ? expect.stringMatching(/already/)
          : 'imported',
    ])
    expect([at, standing(again)]).toEqual([at, whole])
  }
  expect(new Set(ends)).toEqual(
    new Set([
      undefined,
      'an import was interrupted and is undone: nothing of it was added',
      'an import was interrupted and is finished: the imported farm stays',
    ]),
  )
})

test('while SAVES_DIR is missing, what waits for its save is left, because its disk may not be mounted yet', async () => {
  const to = places()
  mkdirSync(to.dataDir)
  const waiting = join(to.dataDir, 'records.db.farmgate-import-Folder_1')
  writeFileSync(waiting, 'x')
  rmSync(to.savesDir, { recursive: true, force: true })
  const said: LogLine[] = []
  await endInterruptedImport(to, recorder(said))
  expect(said.map(({ message }) => message)).toEqual(['an import that was interrupted could not be ended'])
  expect(existsSync(waiting)).toBe(true)
})

test('what waits for a save that another program names is left, and a failing disk is logged', async () => {
  const to = places()
  mkdirSync(to.dataDir)
  const odd = ['records.db.farmgate-import-', 'records.db.farmgate-import-..']
  for (const one of odd) writeFileSync(join(to.dataDir, one), 'x')
  mkdirSync(join(to.dataDir, 'records.db.farmgate-import-Folder_1'))
  const said: LogLine[] = []
  await endInterruptedImport(to, recorder(said))
  expect(said.map(({ message }) => message)).toEqual(['an import that was interrupted could not be ended'])
  expect(readdirSync(to.dataDir).sort()).toEqual([...odd, 'records.db.farmgate-import-Folder_1'])
})

test('an import may be on another disk than the folder for temporary files', async () => {
  const to = places(newFolder(inMemory))
  await take(to, file)
  expect(standing(to)).toEqual(['Clover', ['server-settings.json'], ['records.db']])
})

test('an import is refused while farmgate runs with its DATA_DIR, and changes nothing', async () => {
  const to = places()
  const running = lockDataDir(to.dataDir)
  await refused(readFileSync(file), /data is in use by process \d+ on host \S+; stop that process/, to)
  running?.release()
  expect(await take(to, file)).toMatchObject({ save: name })
})

test('an export never replaces a file', async () => {
  const before = readFileSync(file)
  await expect(exportFarm(shared, { to: file, passphrase, mods: [] })).rejects.toThrow(/EEXIST/)
  expect(readFileSync(file)).toEqual(before)
})

test('a wrong passphrase, and a file that is torn anywhere or changed, change nothing', async () => {
  const whole = readFileSync(file)
  const wrong = /the passphrase is wrong, or the file is torn or was changed/
  for (const part of [0.01, 0.5, 0.999])
    await refused(whole.subarray(0, Math.floor(whole.length * part)), wrong)
  const changed = Buffer.from(whole)
  changed[changed.length - 100] = (changed[changed.length - 100] ?? 0) ^ 1
  await refused(changed, wrong)
  const to = places()
  await expect(take(to, file, { passphrase: 'another one' })).rejects.toThrow(wrong)
  expect(treeOf(to.root)).toEqual([])
})

test.each<[string, readonly CraftedEntry[], RegExp]>([
  ['of a newer version', [described({ farmgateFarm: 2 })], /not a farm of this version/],
  ['with an unknown part', [described({ digests: { '../x': '0'.repeat(64) } })], /has another digest/],
  ['without a description', [{ name: 'save/x', content: 'x' }], /not a farm of this version/],
  [
    'with a path that leaves the folder',
    [described(), { name: '../../escaped', content: 'x' }],
    /invalid relative path/,
  ],
  ['with a link', [described(), { name: 'save/link', content: '/etc', mode: 0o120777 }], /is a link/],
  ['without its save', [described(), { name: 'save/readme', content: 'x' }], /no save in it/],
  [
    'with records that are none',
    [
      described({
        digests: { 'records.db': '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' },
      }),
      { name: 'records.db', content: 'x' },
    ],
    /records are damaged/,
  ],
  [
    'with settings that were changed',
    [
      described({ digests: { 'server-settings.json': '0'.repeat(64) } }),
      { name: 'server-settings.json', content: '{}' },
    ],
    /another digest/,
  ],
])('a file %s changes nothing', async (_what, entries, message) => {
  await refused(await encrypted(craftedZip(entries)), message)
})

test('changes of the records that stand next to them in the file are not read', async () => {
  const folder = newFolder()
  const path = join(folder, 'records.db')
  const db = openDatabase(path, { migrations })
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const records = readFileSync(path)
  db.exec(
    "CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM keys; END; INSERT INTO allowlist VALUES (1, '{}')",
  )
  const changes = readFileSync(`${path}-wal`)
  db.close()
  const save = join(folder, 'Saves')
  mkdirSync(save)
  for (const { run } of savingSteps(save, clover)) run()
  const entries = [
    described({ digests: { 'records.db': createHash('sha256').update(records).digest('hex') } }),
    { name: 'records.db', content: records },
    { name: 'records.db-wal', content: changes },
    ...readdirSync(join(save, name)).map((file) => ({
      name: `save/${name}/${file}`,
      content: readFileSync(join(save, name, file)),
    })),
  ]
  const to = places()
  writeFileSync(to.file, await encrypted(craftedZip(entries)))
  await take(to, to.file)
  using moved = new DatabaseSync(join(to.dataDir, 'records.db'))
  expect(moved.prepare('SELECT * FROM allowlist').all()).toEqual([])
  expect(moved.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()).toEqual([])
})

test.each([
  [
    'accounts',
    "INSERT INTO accounts SELECT printf('%012x', value), json_quote(hex(zeroblob(30000))), NULL FROM numbered",
  ],
  ['open sessions', "INSERT INTO sessions SELECT value, value, 'A', 1, 1, 1, NULL, NULL, NULL FROM numbered"],
])('a file whose records have more %s than farmgate stores changes nothing', async (_, statement) => {
  const path = join(newFolder(), 'records.db')
  const db = openDatabase(path, { migrations })
  const numbered =
    'WITH RECURSIVE numbered (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbered LIMIT 30000)'
  db.exec(`${numbered} ${statement} ${statement.includes('zeroblob') ? 'LIMIT 200' : ''}`)
  db.exec('PRAGMA journal_mode = DELETE')
  db.close()
  const records = readFileSync(path)
  const digest = createHash('sha256').update(records).digest('hex')
  const entries = [described({ digests: { 'records.db': digest } }), { name: 'records.db', content: records }]
  await refused(await encrypted(craftedZip(entries)), /its records are damaged/)
})

test('an export refuses settings of gigabytes without reading them', async () => {
  const from = places()
  for (const { run } of savingSteps(join(from.savesDir, 'Saves'), clover)) run()
  mkdirSync(join(from.root, 'settings'))
  writeFileSync(from.settingsPath, '')
  truncateSync(from.settingsPath, 8 * 1024 ** 3)
  await expect(exportFarm(from, { to: from.file, passphrase, mods: [] })).rejects.toThrow(/not the settings/)
  expect(existsSync(from.file)).toBe(false)
})

test('a file whose description has 450 MB changes nothing', async () => {
  await refused(await encrypted(largeFarmManifest()), /not a farm of this version|another checksum/)
})

test('a file whose passphrase would take 1 GiB of memory is refused before it is tried', async () => {
  const encrypter = new Encrypter()
  encrypter.setScryptWorkFactor(1)
  encrypter.setPassphrase(passphrase)
  const text = Buffer.from(await encrypter.encrypt('x')).toString('latin1')
  const costly = text.replace(/^(-> scrypt \S+) 1$/m, '$1 20')
  expect(costly).not.toBe(text)
  await refused(Buffer.from(costly, 'latin1'), /takes more memory/)
})

test.each(['save', 'settings', 'records', 'changes of the records'])(
  'existing %s are never replaced, and nothing else is added',
  async (what) => {
    const to = places()
    const path =
      {
        save: join(to.savesDir, 'Saves', name, 'x'),
        settings: to.settingsPath,
        records: join(to.dataDir, 'records.db'),
        'changes of the records': join(to.dataDir, 'records.db-wal'),
      }[what] ?? ''
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, 'mine')
    await refused(readFileSync(file), /already/, to)
    expect(existsSync(path)).toBe(true)
  },
)
