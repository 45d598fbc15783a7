/**
 * One farm as one encrypted file: its save, the game server's settings, the list of its mods and farmgate's records
 * (docs/friends.md, "Move a farm here").
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter } from 'age-encryption'
import * as v from 'valibot'
import { ZipFile } from 'yazl'
import { syncFolder } from '../../lib/atomic-file.ts'
import { byteStream } from '../../lib/byte-stream.ts'
import { errorCode } from '../../lib/error-code.ts'
import { readSmallFile } from '../../lib/foreign/file.ts'
import { listOf, readForeign } from '../../lib/foreign/read.ts'
import { unlessMissing } from '../../lib/shared-folder/access.ts'
import { FolderInUse, type FolderLock } from '../../lib/shared-folder/folder-lock.ts'
import { ageFile } from '../archives/age-file.ts'
import { BrokenArchive } from '../archives/broken-archive.ts'
import { piecesOf } from '../archives/file-pieces.ts'
import { readArchive } from '../archives/read-archive.ts'
import { databaseFile, requireFile } from '../records/database.ts'
import { type ImportedRecords, importRecords } from '../records/import-records.ts'
import { lockDataDir } from '../records/make-folder.ts'
import { endBegun, type FarmPlaces, stagedName } from './begun-import.ts'
import { examineSave } from './examine-save.ts'
import { importApart } from './import-apart.ts'
import { ImportRefused } from './import-refused.ts'
import { addSave, type FoundSave, factsOf, whileImporting } from './import-save.ts'
import { allSaves, inSave, inSaves, saveAmong } from './saves-folder.ts'

const parts = { manifest: 'farm.json', settings: 'server-settings.json', records: databaseFile } as const
const maxSettings = 1024 * 1024
/** Bytes of `farm.json`. */
const maxManifest = 8 * 1024 * 1024
const beginning = 'age-encryption.org/v1'
/** Work factor of the passphrase, each step of which doubles its memory. */
const mostWork = 18

const digests = v.record(v.string(), v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)))
const manifest = v.strictObject({
  farmgateFarm: v.literal(1),
  save: v.string(),
  /** Folder names of the game's mods, which are not in the file. */
  mods: listOf(v.pipe(v.string(), v.maxLength(256)), 20_000),
  /** SHA-256 of the other parts, by name. */
  digests,
})

/** Whether a file is one that `exportFarm` has written. @throws the error of the file system */
export async function isFarmFile(path: string): Promise<boolean> {
  const found = await stat(path)
  if (!found.isFile()) return false
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0)
  return bytesRead === beginning.length && buffer.toString() === beginning
}

/**
 * @param to a new file @param save the name of the save's folder, where there are several
 * @param mods folder names
 * @returns the name of the save, and which parts are in the file
 * @throws {ImportRefused} @throws the error of the file system
 */
export async function exportFarm(
  places: FarmPlaces & { readonly savesDir: string },
  options: {
    readonly to: string
    readonly save?: string | undefined
    readonly passphrase: string
    readonly mods: readonly string[]
  },
): Promise<{ readonly save: string; readonly parts: readonly string[] }> {
  const { to, passphrase, mods } = options
  const name = options.save ?? (await onlySave(places.savesDir))
  const examined = await examineSave(saveAmong(places.savesDir, name))
  if (examined === undefined)
    throw new ImportRefused(
      `The save ${name} is not whole, or the game writes it: try again after the night.`,
    )
  // On the disk of the file: the folder for temporary files can be in memory.
  const folder = await mkdtemp(join(dirname(to), '.farmgate-export-'))
  try {
    const zip = new ZipFile()
    const failed = new AbortController()
    const known: Record<string, string> = {}
    for (const { path } of examined.files)
      zip.addReadStreamLazy(`save/${name}/${path}`, {}, (done) => {
        const content = Readable.from(contentOf(places.savesDir, name, path))
        // The zip does not listen to errors of its input.
        done(
          null,
          content.on('error', (error) => failed.abort(error)),
        )
      })
    for (const [part, from] of await gathered(places, folder)) {
      known[part] = await digestOf(from)
      zip.addFile(from, part)
    }
    const described = { farmgateFarm: 1, save: name, mods, digests: known }
    zip.addBuffer(Buffer.from(JSON.stringify(described)), parts.manifest)
    zip.end()
    const packed = join(folder, 'farm.zip')
    await pipeline(zip.outputStream, createWriteStream(packed, { flags: 'wx', mode: 0o600 }), {
      signal: failed.signal,
    })
    // Read back: what an import would refuse is not exported.
    await readArchive(packed)
    const encrypted = await ageFile(createReadStream(packed), (await stat(packed)).size, passphrase)
    try {
      await pipeline(encrypted.content, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') await rm(to, { force: true })
      throw error
    }
    return { save: name, parts: Object.keys(known) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export interface ImportedFarm extends FoundSave {
  /** Folder names of the old farm's mods. */
  readonly mods: readonly string[]
  readonly parts: readonly string[]
  /** Undefined where the file has none. */
  readonly records?: ImportedRecords
}

/**
 * Adds the farm of a file: all of its parts for which there is a place, or nothing, also when the process is killed
 * (`begun-import.ts`).
 * @param isCheck changes nothing
 * @throws {ImportRefused | BrokenArchive} @throws the error of the file system
 */
export async function importFarm(
  places: FarmPlaces,
  {
    from,
    passphrase,
    isCheck,
    isWithKeys = false,
  }: {
    readonly from: string
    readonly passphrase: string
    readonly isCheck: boolean
    /** Keys, sessions, scopes of accounts, groups, invitations and webhooks of the old farm are good here too. */
    readonly isWithKeys?: boolean
  },
  now: number,
): Promise<ImportedFarm> {
  const folder = await mkdtemp(join(await ownFolder(places, from), '.farmgate-import-'))
  let lock: FolderLock | undefined
  try {
    await decrypt(from, passphrase, join(folder, 'farm.zip'))
    const unpacked = join(folder, 'all')
    await mkdir(unpacked)
    await importApart((calls) => calls.unpack(join(folder, 'farm.zip'), unpacked))
    const { save, mods, digests: known } = await readManifest(join(unpacked, parts.manifest))
    for (const [part, digest] of Object.entries(known))
      if (!isPart(part) || (await digestOf(join(unpacked, part))) !== digest)
        throw new BrokenArchive(`${part} has another digest`)
    const taken = Object.keys(known).filter(isPart)
    const records = taken.includes(parts.records)
      ? await newRecords(join(unpacked, parts.records), folder, { isWithKeys, now })
      : undefined
    if (taken.includes(parts.settings)) await checkSettings(join(unpacked, parts.settings))
    const source = { from: join(unpacked, 'save'), save }
    const staging = { top: unpacked, folder: source.from }
    const found = factsOf(await importApart((calls) => calls.examine(staging, save)))
    const { savesDir } = places
    const facts = { ...found, mods, ...(records && { records: records.imported }) }
    if (isCheck || savesDir === undefined) return { ...facts, parts: taken }
    const targets = taken.flatMap((part) => {
      const to =
        part === parts.records ? places.dataDir && join(places.dataDir, databaseFile) : places.settingsPath
      return to === undefined ? [] : [{ part, to, staged: stagedName(to, found.save) }]
    })
    await whileImporting(savesDir, async () => {
      lock = places.dataDir === undefined ? undefined : lockUnused(places.dataDir)
      const ended = await endBegun({ ...places, savesDir })
      if (ended?.end === 'finished')
        throw new ImportRefused(
          `An earlier import of ${ended.save} was interrupted. It is finished now; nothing else was changed.`,
          'exists',
        )
      for (const { part, to } of targets)
        for (const one of part === parts.records ? [to, `${to}-wal`] : [to]) await requireNone(one)
      await requireNone(join(allSaves(savesDir), found.save))
      try {
        for (const { part, to, staged } of targets) {
          await mkdir(dirname(to), { recursive: true })
          const mode = part === parts.records ? 0o600 : 0o666
          const into = createWriteStream(staged, { flags: 'wx', mode, flush: true })
          const content = part === parts.records ? records?.path : undefined
          await pipeline(createReadStream(content ?? join(unpacked, part)), into)
          await syncFolder(dirname(to))
        }
        // The step that decides, and the only one that can be refused.
        await addSave(savesDir, source, now)
      } catch (error) {
        for (const { staged } of targets) await rm(staged, { force: true })
        throw error
      }
      await endBegun({ ...places, savesDir })
    })
    return { ...facts, parts: targets.map(({ part }) => part) }
  } finally {
    lock?.release()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Where the parts of a farm may lie unpacked: in a folder that the game cannot read, on the disk of the records if there is one. */
async function ownFolder({ dataDir }: FarmPlaces, from: string): Promise<string> {
  const isThere = dataDir !== undefined && (await stat(dataDir).catch(unlessMissing))?.isDirectory() === true
  return isThere ? dataDir : dirname(from)
}

const isPart = (part: string): boolean => part === parts.settings || part === parts.records

async function onlySave(savesDir: string): Promise<string> {
  const names = await inSaves(savesDir, async (saves) => {
    const found: string[] = []
    for await (const { name, kind } of saves.entries())
      if (kind === 'folder' && !name.startsWith('.') && found.length < 100) found.push(name)
    return found
  })
  const [name, ...others] = names
  if (name === undefined) throw new ImportRefused('The folder Saves has no save.')
  if (others.length > 0)
    throw new ImportRefused(`There are the saves ${names.sort().join(', ')}: name one of them with --save.`)
  return name
}

async function* contentOf(savesDir: string, name: string, path: string): AsyncGenerator<Buffer, void> {
  await using file = await inSave(saveAmong(savesDir, name), (folder) => folder.open(path, 'read'))
  for await (const piece of piecesOf(file)) yield Buffer.from(piece)
}

/** Copies settings and records, so that they do not change while they are packed. @returns name and path of each */
async function gathered({ settingsPath, dataDir }: FarmPlaces, folder: string) {
  const found: (readonly [part: string, path: string])[] = []
  const settings = settingsPath && (await readSettings(settingsPath))
  if (settings) {
    await writeFile(join(folder, parts.settings), settings)
    found.push([parts.settings, join(folder, parts.settings)])
  }
  const database = dataDir && join(dataDir, databaseFile)
  if (database && (await stat(database).catch(unlessMissing))) {
    const copy = join(folder, parts.records)
    requireFile(database)
    using db = new DatabaseSync(database, { readOnly: true })
    db.prepare('VACUUM INTO ?').run(copy)
    found.push([parts.records, copy])
  }
  return found
}

/** @throws {ImportRefused} an import would refuse it */
async function readSettings(path: string): Promise<Uint8Array | undefined> {
  const isThere = (await stat(path).catch(unlessMissing)) !== undefined
  const settings = isThere ? await readSmallFile(path, maxSettings) : undefined
  if (isThere && settings === undefined)
    throw new ImportRefused(
      `${path} has more than ${maxSettings} bytes: it is not the settings of a game server.`,
    )
  return settings
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}

/** @throws {BrokenArchive} a wrong passphrase; a file that is torn or changed */
async function decrypt(from: string, passphrase: string, to: string): Promise<void> {
  await checkWork(from)
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    const content = await decrypter.decrypt(byteStream(createReadStream(from)))
    await pipeline(content, createWriteStream(to, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    if (/^E[A-Z]+$/.test(errorCode(error) ?? '')) throw error
    throw new BrokenArchive('the passphrase is wrong, or the file is torn or was changed')
  }
}

/** @throws {BrokenArchive} the passphrase would take more than 256 MiB, as a file of `age -p` does */
async function checkWork(from: string): Promise<void> {
  await using file = await open(from, 'r')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0)
  const [, factor] = /^-> scrypt \S+ (\d+)$/m.exec(buffer.toString('latin1', 0, bytesRead)) ?? []
  if (Number(factor) > mostWork)
    throw new BrokenArchive('its passphrase takes more memory than a file of farmgate or age needs')
}

async function readManifest(path: string) {
  const text = await readSmallFile(path, maxManifest).catch(unlessMissing)
  const read = readForeign(manifest, text)
  if (read === undefined) throw new BrokenArchive('it is not a farm of this version of farmgate')
  return read
}

async function checkSettings(path: string): Promise<void> {
  if ((await stat(path)).size > maxSettings) throw new BrokenArchive('its settings are too large')
}

/**
 * Copies the records into a new database. They are moved into a separate folder first, without what else the archive
 * has next to them: SQLite would read a log of changes with them.
 */
async function newRecords(
  unpacked: string,
  folder: string,
  options: Parameters<typeof importRecords>[2],
): Promise<{ readonly path: string; readonly imported: ImportedRecords }> {
  const [old, made] = [join(folder, 'old'), join(folder, 'new')]
  for (const one of [old, made]) await mkdir(one, { mode: 0o700 })
  await rename(unpacked, join(old, databaseFile))
  const path = join(made, databaseFile)
  return { path, imported: importRecords(join(old, databaseFile), path, options) }
}

/** Locks `DATA_DIR`, so that no control API starts with it meanwhile. @throws {ImportRefused} one is running */
function lockUnused(dataDir: string): FolderLock | undefined {
  try {
    return lockDataDir(dataDir)
  } catch (error) {
    throw error instanceof FolderInUse ? new ImportRefused(`${error.message}.`, 'locked') : error
  }
}

/** @throws {ImportRefused} */
async function requireNone(path: string): Promise<void> {
  if ((await stat(path).catch(unlessMissing)) !== undefined)
    throw new ImportRefused(`There is ${path} already; nothing was changed. Rename it first.`, 'exists')
}
