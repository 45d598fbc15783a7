/** A compromised game that writes in `Saves` during a backup, a restore or a start of farmgate. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  Dir,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { heldByArchive } from '../../../services/archives/allowed-entries.ts'
import { readArchive } from '../../../services/archives/read-archive.ts'
import { recoverSwap } from '../../../services/backups/swap-save.ts'
import { stateOfFolder } from '../../../services/saves/examine-save.ts'
import { saveAmong } from '../../../services/saves/saves-folder.ts'
import type { SavedFarm } from '../../backups/saved-farm.ts'
import { beforeEachCall, exchange } from '../../lib/shared-folder/exchanged.ts'
import type { LogLine } from '../../logs.ts'
import { newFolder } from '../../new-folder.ts'
import { farmToRestore } from './farm-to-restore.ts'
import { name, started } from './loading-game.ts'

/** A farm with a backup, and a folder in its save. */
async function farmWithFolder() {
  const farm = farmToRestore()
  const { id, close } = await farm.atDay9()
  await close()
  const own = join(farm.saved.saves, name)
  mkdirSync(join(own, 'below'))
  writeFileSync(join(own, 'below', 'file'), 'own')
  const archives = () => readdirSync(farm.saved.folder).filter((file) => file.endsWith('.zip'))
  return { ...farm, id, own, archives }
}

/** The same files in another folder. */
function copied({ savesDir }: SavedFarm) {
  const root = newFolder()
  cpSync(join(savesDir, '..'), root, { recursive: true, preserveTimestamps: true })
  const game = join(root, 'game')
  return { savesDir: game, saves: join(game, 'Saves'), folder: join(root, 'backups') }
}

/** Every existing folder that farmgate walks. */
const walked = [
  '.farmgate-restore-old',
  '.farmgate-restore-old/below',
  '.farmgate-restore-new',
  '.farmgate-restore-new/.unpacked',
  name,
  `${name}/below`,
]

test('whenever the game replaces a folder with a link to BACKUP_DIR during a restore, every backup stays', async () => {
  let moment = 0
  const { saved: first, id, archives } = await farmWithFolder()
  const before = archives()
  for (let isOver = false; !isOver; moment += 7) {
    const saved = copied(first)
    const { port, close } = started(saved)
    let calls = 0
    const end = beforeEachCall((count) => {
      calls = count
      if (count === moment) for (const folder of walked) exchange(join(saved.saves, folder), saved.folder)
    })
    await port.restoreBackup(id, false).catch(() => undefined)
    end()
    await close()
    expect([moment, readdirSync(saved.folder)]).toEqual([moment, expect.arrayContaining(before)])
    expect(readFileSync(join(saved.folder, `${id}.zip`)).length).toBeGreaterThan(100)
    isOver = calls < moment
  }
  expect(moment).toBeGreaterThan(100)
})

test('whenever the game replaces a folder with a link to BACKUP_DIR while a start ends a restore, every backup stays', async () => {
  const { saved, archives } = await farmWithFolder()
  const before = archives()
  const journal = JSON.stringify({ save: name, placed: '', isConfirmed: true })
  for (let moment = 1, isOver = false; !isOver; moment += 1) {
    for (const file of readdirSync(saved.saves))
      if (file.startsWith('.farmgate-')) rmSync(join(saved.saves, file), { recursive: true })
    mkdirSync(join(saved.saves, '.farmgate-restore-old', 'below'), { recursive: true })
    writeFileSync(join(saved.saves, '.farmgate-restore-old', 'below', 'file'), 'old')
    writeFileSync(join(saved.saves, '.farmgate-restore.json'), journal)
    let calls = 0
    const end = beforeEachCall((count) => {
      calls = count
      if (count === moment) exchange(join(saved.saves, '.farmgate-restore-old', 'below'), saved.folder)
    })
    await recoverSwap(saved.savesDir, 0).catch(() => undefined)
    end()
    expect([moment, archives()]).toEqual([moment, before])
    isOver = calls < moment
  }
})

const planted: readonly [what: string, plant: (path: string) => void, detail: string][] = [
  [
    'a link in place of the folder of the save',
    (path) => symlinkSync('/nowhere', path),
    `in Saves, "${name}" is a link or a file where a folder must be`,
  ],
  [
    'a folder in place of a file of the save',
    (path) => mkdirSync(join(path, name), { recursive: true }),
    `something in Saves is in the place of "${name}/${name}"`,
  ],
]

test.each(planted)(
  '%s that the game plants where a backup is unpacked is not blamed on the backup',
  async (_what, plant, detail) => {
    const { saved, id, log } = await farmWithFolder()
    const { port, close } = started(saved, log)
    const unpacked = join(saved.saves, '.farmgate-restore-new', '.unpacked')
    let isPlanted = false
    const end = beforeEachCall(() => {
      if (isPlanted || !existsSync(unpacked)) return
      isPlanted = true
      plant(join(unpacked, name))
    })
    onTestFinished(end)
    await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
      failure: { kind: 'disk_failed', detail },
    })
    end()
    expect(log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'a backup could not be restored or removed',
        fields: { id, cause: expect.stringMatching(/^Not(AFolder|Regular): ./) },
      }),
    )
    expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
    await close()
  },
)

test.each([
  ['cuts off', (file: string) => truncateSync(file)],
  ['removes', (file: string) => unlinkSync(file)],
])('an unpacked file that the game %s is not blamed on the backup', async (_what, change) => {
  const { saved, id } = await farmWithFolder()
  const { port, close } = started(saved)
  const file = join(saved.saves, '.farmgate-restore-new', '.unpacked', name, name)
  const end = beforeEachCall((_count, call) => {
    // Nothing is listed before all of it is unpacked.
    if (call === 'opendir' && existsSync(file)) change(file)
  })
  onTestFinished(end)
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: {
      kind: 'restore_refused',
      sentence: 'The unpacked save is not whole: another program may have changed it; nothing was changed',
    },
  })
  end()
  expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
  await close()
})

test('a file that the game replaces with a link at any moment of a backup brings no file of farmgate into the archive', async () => {
  const { saved, own, archives } = await farmWithFolder()
  const secret = join(newFolder(), 'environ')
  writeFileSync(secret, 'API_KEY=hidden')
  const file = join(own, 'below', 'file')
  const toggle = (isLink: boolean) => {
    if (lstatSync(file).isSymbolicLink() === isLink) return
    if (isLink) renameSync(file, `${own}.aside`)
    if (isLink) symlinkSync(secret, file)
    if (!isLink) unlinkSync(file)
    if (!isLink) renameSync(`${own}.aside`, file)
  }
  let moment = 1
  for (let isOver = false; !isOver; moment += 1) {
    const { port, close } = started(saved)
    let calls = 0
    const end = beforeEachCall((_count, call, path) => {
      // No other call can see what the file is.
      const isSeen = call === 'opendir' || path.endsWith('/file')
      if (isSeen) calls += 1
      toggle(isSeen && calls === moment)
    })
    await port.makeBackup().catch(() => undefined)
    end()
    await close()
    toggle(false)
    isOver = calls < moment
    for (const archive of archives()) {
      const path = join(saved.folder, archive)
      await readArchive(path, async (_name, content) => {
        for await (const piece of content)
          expect([moment, String(piece)]).not.toEqual([moment, 'API_KEY=hidden'])
      })
      unlinkSync(path)
    }
  }
  expect(moment).toBeGreaterThan(10)
})

test('a file that is a link at each opening, and a file at each check, brings no file of farmgate into the archive', async () => {
  const { saved, own, archives } = await farmWithFolder()
  const secret = join(own, '..', '..', 'environ')
  writeFileSync(secret, 'API_KEY=hidden')
  writeFileSync(join(own, '..', '..', 'plain'), 'plain')
  const file = join(own, 'below', 'file')
  const before = archives()
  const { port, close } = started(saved)
  const end = beforeEachCall((_count, call, path) => {
    unlinkSync(file)
    if (call === 'open' && path.endsWith('/file')) symlinkSync(secret, file)
    else linkSync(secret.replace('environ', 'plain'), file)
  })
  onTestFinished(end)
  await port.makeBackup().catch(() => undefined)
  end()
  await close()
  expect(archives()).toEqual(before)
})

const entries: readonly [what: string, make: (saves: string) => void][] = [
  [
    'a FIFO as the SaveGameInfo of another farm',
    (saves) => {
      mkdirSync(join(saves, 'Evil_1'))
      writeFileSync(join(saves, 'Evil_1', 'Evil_1'), '')
      execFileSync('mkfifo', [join(saves, 'Evil_1', 'SaveGameInfo')])
    },
  ],
  [
    'a link to an endless device as the SaveGameInfo of another farm',
    (saves) => {
      mkdirSync(join(saves, 'Evil_1'))
      writeFileSync(join(saves, 'Evil_1', 'Evil_1'), '')
      symlinkSync('/dev/zero', join(saves, 'Evil_1', 'SaveGameInfo'))
    },
  ],
  [
    'a SaveGameInfo of 1.9 GB in another farm',
    (saves) => {
      mkdirSync(join(saves, 'Evil_1'))
      writeFileSync(join(saves, 'Evil_1', 'Evil_1'), '')
      writeFileSync(join(saves, 'Evil_1', 'SaveGameInfo'), '<Farmer>')
      truncateSync(join(saves, 'Evil_1', 'SaveGameInfo'), 1.9e9)
    },
  ],
  [
    'a FIFO as the journal of a restore',
    (saves) => void execFileSync('mkfifo', [join(saves, '.farmgate-restore.json')]),
  ],
  ['a folder as the journal of a restore', (saves) => void mkdirSync(join(saves, '.farmgate-restore.json'))],
  ['a FIFO in the save', (saves) => void execFileSync('mkfifo', [join(saves, name, 'pipe')])],
  ['a link of the save to itself', (saves) => symlinkSync(join(saves, name), join(saves, name, 'again'))],
]

test.each(entries)('%s stops neither backups nor restores, and takes no memory', async (_what, make) => {
  const { saved, id } = await farmWithFolder()
  make(saved.saves)
  const before = process.resourceUsage().maxRSS
  const { port, close } = started(saved)
  expect(await port.makeBackup()).toMatchObject({ day: 9, verifiedAt: expect.any(String) })
  expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
  await close()
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(400_000)
})

test('a save larger than the limit of a restore is not read for hours: the backup fails, and says so', async () => {
  const { saved, own } = await farmWithFolder()
  const { port, close } = started(saved)
  truncateSync(join(own, name), 2 ** 40)
  await expect(port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'disk_failed', detail: 'EFBIG' } })
  await close()
})

test('a stray file larger than any save is left out of the backup, and survives a restore', async () => {
  const { saved, own } = await farmWithFolder()
  const stray = join(own, 'below', 'file')
  truncateSync(stray, 2 ** 40)
  const { port, close } = started(saved)
  const { id, bytes } = await port.makeBackup()
  expect(bytes).toBeLessThan(1_000_000)
  await port.restoreBackup(id, false)
  expect(statSync(stray).size).toBe(2 ** 40)
  await close()
})

test('a file that grows while it is read is read up to its first size', async () => {
  const { saved, own } = await farmWithFolder()
  const file = join(own, 'below', 'file')
  writeFileSync(file, 'a'.repeat(600_000))
  const end = beforeEachCall(() => appendFileSync(file, 'a'.repeat(1000)))
  onTestFinished(end)
  const { port, close } = started(saved)
  await expect(port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'save_in_progress' } })
  end()
  await close()
})

test('Saves that is a link is not followed: there are no saves, also while the disk closes folders late', async () => {
  const { saved } = await farmWithFolder()
  const { close: closeFolder } = Dir.prototype
  const closeLate = function (this: Dir, ...given: readonly unknown[]) {
    if (given.length === 0) return Reflect.apply(closeFolder, this, given)
    setTimeout(() => Reflect.apply(closeFolder, this, given), 20)
  }
  Object.assign(Dir.prototype, { close: closeLate })
  onTestFinished(() => void Object.assign(Dir.prototype, { close: closeFolder }))
  renameSync(saved.saves, `${saved.saves}.moved`)
  symlinkSync(`${saved.saves}.moved`, saved.saves)
  const { port, close } = started(saved)
  await expect(port.makeBackup()).rejects.toMatchObject({ failure: { kind: 'unsupported' } })
  expect((await port.backups()).state.saves).toBe('absent')
  await close()
})

test('a save that names 100,000 people of 100 bytes each, and has folders 70 deep, is backed up and restored', async () => {
  const { saved, own } = await farmWithFolder()
  const main = join(own, name)
  const people = Array.from(
    { length: 100_000 },
    (_, at) => `<Farmer><name>${String(at).padStart(100, 'a')}</name></Farmer>`,
  )
  writeFileSync(main, readFileSync(main, 'utf8').replace('</SaveGame>', `${people.join('')}</SaveGame>`))
  const deep = join(own, 'a/'.repeat(70))
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(deep, 'file'), '')
  const log: LogLine[] = []
  const { port, close } = started(saved, log)
  const { id, verifiedAt } = await port.makeBackup()
  expect(verifiedAt).toBeDefined()
  expect(log).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('the backup leaves out files') }),
  )
  expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
  expect(readdirSync(deep)).toEqual(['file'])
  await close()
})

test('paths of 20 MB fit into no manifest: those beyond 4 MB are left out', () => {
  const paths = Array.from({ length: 9000 }, (_, at) => ({ path: `${'a'.repeat(2200)}${at}`, size: 0 }))
  const { held, leftOut } = heldByArchive(name, paths)
  expect([held.length, leftOut.length]).toEqual([1901, 7099])
})

test('in a save with too many entries its own files are found, and the rest beyond the limit is left out', async () => {
  const { saved, own } = await farmWithFolder()
  for (let at = 0; at < 50; at += 1) writeFileSync(join(own, `stray-${at}`), '')
  const { files, leftOut } = await stateOfFolder(saveAmong(saved.savesDir, name), 10)
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining([name, 'SaveGameInfo']))
  expect([files.length < 14, leftOut.length]).toEqual([true, 1])
})
