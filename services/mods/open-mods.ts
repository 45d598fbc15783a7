/** The mods of the game server: the port, and what it notes of the game's starts (docs/friends.md, "Mods"). */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Backups } from '../../handlers/backups.ts'
import { FarmError, farmgateCannot } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import { limits } from '../../handlers/limits.ts'
import type { InstalledMod } from '../../handlers/mod-record.ts'
import type { Mods } from '../../handlers/mods.ts'
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { keptAnswer } from '../../lib/kept-answer.ts'
import type { Log } from '../../lib/log.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import { wrongEntry } from '../../lib/shared-folder/access.ts'
import { BrokenArchive } from '../archives/broken-archive.ts'
import { NotWritable } from '../archives/settle-files.ts'
import { whileReceived } from '../saves/receive-archive.ts'
import { modArchivesApart } from './archive-apart.ts'
import { endInterrupted, installPlanned, moveMod, planMods, removeMod } from './change-mods.ts'
import type { FoundMod, FoundMods } from './find-mods.ts'
import { keptMods, sideOf } from './kept-mods.ts'
import { keptPack } from './kept-pack.ts'
import { lookForUpdates } from './look-for-updates.ts'
import { findAllMods, inModFolders, type OpenModFolders } from './mod-folders.ts'
import { idOf, keyOf, modRecords, neededBy } from './relations.ts'

export interface ModsParts extends Pick<Clock, 'now' | 'monotonic'> {
  /** `MODS_DIR` */
  readonly dir: string
  /** `MODS_OFF_DIR` */
  readonly offDir: string
  /** `MODS_ACCESS` */
  readonly access: 'ro' | 'rw'
  /** `MODS_UPDATES_URL`; undefined without `MODS_UPDATES`. */
  readonly updatesUrl: string | undefined
  /** `DATA_DIR` */
  readonly dataDir: string
  /** `PUBLIC_URL` */
  readonly publicUrl: string | undefined
  readonly backups: Pick<Backups, 'makeBackup'>
  readonly game: Pick<GameBridge, 'health'>
  /** When the game's process started, milliseconds since 1970; undefined where that is unknown. */
  readonly startedAt: () => Promise<number | undefined>
  /** Bytes that fit on a folder's disk above its reserve of free space. */
  readonly room: (folder: string) => Promise<number>
  readonly fetch: typeof globalThis.fetch
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Pick<Log, 'info' | 'warn'>
}

export type OpenMods = ReturnType<typeof openMods>

const day = 86_400_000

export function openMods(parts: ModsParts) {
  const { dir, offDir, access, updatesUrl, dataDir, publicUrl, backups, game, startedAt } = parts
  const { room, fetch, now, monotonic, randomBytes, log } = parts
  const folders = { dir, offDir }
  const kept = keptMods(join(dataDir, 'mods.json'))
  const pack = keptPack({
    ...{ folder: join(dataDir, 'packs'), dir, room },
    async mods() {
      const [{ mods }, { sides }] = await Promise.all([find(), kept.read()])
      return mods.flatMap((mod) => {
        const side = sideOf(sides, idOf(mod))
        if (!mod.isEnabled || mod.manifest === undefined || side === 'server') return []
        return [{ folder: mod.folder, name: mod.manifest.name, isUnknown: side === 'unknown' }]
      })
    },
  })
  const updates = updatesUrl === undefined ? undefined : lookForUpdates({ url: updatesUrl, fetch, monotonic })
  const inTurn = oneAtATime().run
  let looking: Promise<FoundMods> | undefined
  /** Callers at the same time share one look. */
  const find = () => {
    looking ??= findAllMods(folders).finally(() => {
      looking = undefined
    })
    return looking
  }

  /** A change of the folders, after a backup. @throws {FarmError} */
  const change = <Result>(
    prepare: (
      opened: OpenModFolders,
      found: readonly FoundMod[],
    ) => Promise<(() => Promise<Result>) | undefined>,
  ): Promise<Result | undefined> =>
    inTurn(async () => {
      if (access === 'ro') throw farmgateCannot('change the mods: MODS_ACCESS is ro. Set it to rw')
      return inModFolders(folders, async (opened) => {
        await endInterrupted(opened)
        const make = await prepare(opened, (await findAllMods(folders)).mods)
        if (make === undefined) return undefined
        await backUp()
        // Before it too, because a killed process does not note it after.
        await noteChange()
        try {
          return await make()
        } finally {
          await endInterrupted(opened)
          await noteChange()
        }
      })
    }).finally(shared.drop)
  const noteChange = () =>
    kept
      .change((state) => ({ ...state, changedAt: now() }))
      .catch((error: unknown) =>
        log.warn({ cause: String(error) }, 'a change of the mods is not noted: DATA_DIR cannot be written'),
      )
  const backUp = async () => {
    try {
      await backups.makeBackup()
    } catch (error) {
      // There is no save yet, or none is mounted.
      if (!(error instanceof FarmError) || error.failure.kind !== 'unsupported') throw error
    }
  }

  /** The mod with an id, or in a folder. @throws {FarmError} invalid_argument for several */
  const theOne = (id: string, found: readonly FoundMod[]): FoundMod | undefined => {
    const inFolder = found.filter(({ folder }) => folder === id)
    const fitting = inFolder.length > 0 ? inFolder : found.filter((mod) => keyOf(idOf(mod)) === keyOf(id))
    if (fitting.length < 2) return fitting[0]
    const names = fitting.map(({ folder }) => folder).slice(0, 10)
    const sentence = `Several folders have this mod: name one of them as the id: ${names.join(', ')}`
    throw new FarmError({ kind: 'invalid_argument', sentence: sentence.slice(0, 1000), parameter: 'id' })
  }
  const mayRemove = (mod: FoundMod, found: readonly FoundMod[], isForced: boolean) => {
    if (isForced || !mod.isEnabled || mod.manifest === undefined) return
    const others = found.filter((one) => one !== mod)
    const isElsewhere = others.some((one) => one.isEnabled && keyOf(idOf(one)) === keyOf(idOf(mod)))
    const needing = isElsewhere ? [] : neededBy(idOf(mod), others)
    if (needing.length > 0) throw new FarmError({ kind: 'mod_needed', neededBy: needing })
  }

  const restartNeeded = async (found: readonly FoundMod[]): Promise<boolean> => {
    const { changedAt } = await kept.read()
    const started = await startedAt()
    if (started === undefined) return changedAt !== undefined
    const byHand = found.filter(({ isEnabled }) => isEnabled).map((mod) => mod.changedAt)
    return Math.max(changedAt ?? 0, ...byHand) > started
  }

  /** @returns false when there is no such mod */
  const move = async (id: string, isToEnable: boolean, isForced: boolean): Promise<boolean> => {
    let isKnown = false
    await change(async (opened, found) => {
      const mod = theOne(
        id,
        found.filter(({ isEnabled }) => isEnabled !== isToEnable),
      )
      isKnown = mod !== undefined || found.some((one) => one.folder === id || keyOf(idOf(one)) === keyOf(id))
      if (mod === undefined) return undefined
      mayRemove(mod, found, isForced)
      return () => moveMod(opened, mod)
    })
    return isKnown
  }

  const install = (zip: string) =>
    change(async (opened, found) => {
      const planned = await planMods(opened, await modArchivesApart((calls) => calls.find(zip)), found)
      return async () => {
        await installPlanned(folders, opened, zip, planned)
        const shown = ({ manifest: { id, name, version }, to }: (typeof planned)[number]): InstalledMod => ({
          id,
          name,
          version,
          folder: to,
        })
        return {
          installed: planned.filter(({ old }) => old === undefined).map(shown),
          replaced: planned.filter(({ old }) => old !== undefined).map(shown),
        }
      }
    })

  const list = async () => {
    const [{ mods, isWhole }, { sides }] = await Promise.all([find(), kept.read()])
    const shown = modRecords(mods, { sides, updates: updates?.known() ?? new Map() })
    return {
      mods: shown.mods,
      restartNeeded: await restartNeeded(mods),
      access,
      ...(!(isWhole && shown.isWhole) && { incomplete: true as const }),
    }
  }
  /** Callers at one time share one list, which is encoded once: it can have 8 MiB. */
  const shared = keptAnswer(list, 0, monotonic)

  const port: Mods = {
    mods: shared.get,
    async installMods(archive) {
      if (access === 'ro') throw farmgateCannot('change the mods: MODS_ACCESS is ro. Set it to rw')
      const done = await whileReceived({ folder: join(dataDir, 'uploads'), room }, archive, install)
      return done ?? { installed: [], replaced: [] }
    },
    enableMod: (id) => move(id, true, true),
    disableMod: (id, isForced) => move(id, false, isForced),
    deleteMod: async (id, isForced) =>
      (await change(async (opened, found) => {
        const mod = theOne(id, found)
        if (mod === undefined) return undefined
        mayRemove(mod, found, isForced)
        return async () => {
          await removeMod(opened, mod)
          return true
        }
      })) ?? false,
    async setModSide(id, side) {
      if (access === 'ro') throw farmgateCannot('change the mods: MODS_ACCESS is ro. Set it to rw')
      const { mods } = await find()
      const mod = mods.find((one) => one.folder === id) ?? mods.find((one) => keyOf(idOf(one)) === keyOf(id))
      if (mod === undefined) return false
      await kept.change((state) => ({
        ...state,
        sides: new Map(state.sides).set(keyOf(idOf(mod)), side),
      }))
      shared.drop()
      return true
    },
    modsPack: pack.open,
    async packLinks() {
      const good = (await kept.read()).links.filter(({ expiresAt }) => expiresAt > now())
      return good
        .map(({ id, createdAt, expiresAt, by }) => ({
          ...{ id, by, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) },
        }))
        .reverse()
    },
    async makePackLink(days, by) {
      const code = Buffer.from(randomBytes(32)).toString('base64url')
      const id = Buffer.from(randomBytes(6)).toString('hex')
      const createdAt = now()
      const expiresAt = createdAt + days * day
      await kept.change((state) => {
        const good = state.links.filter((link) => link.expiresAt > now())
        if (good.length >= limits.pack_links) throw new FarmError({ kind: 'too_many', of: 'pack_links' })
        return { ...state, links: [...good, { id, digest: digestOf(code), createdAt, expiresAt, by }] }
      })
      const path = `mods/shared-pack?link=${code}`
      return {
        id,
        url: publicUrl === undefined ? path : `${publicUrl}/${path}`,
        expiresAt: isoTime(expiresAt),
      }
    },
    revokePackLink: kept.revoke,
    async packLinkOf(code) {
      const digest = digestOf(code)
      return (await kept.read()).links.find((link) => link.digest === digest && link.expiresAt > now())?.id
    },
    async modUpdates() {
      if (updates === undefined) throw farmgateCannot('look for updates of mods. Set MODS_UPDATES=true')
      const { mods } = await find()
      return updates.look(mods.flatMap(({ manifest }) => (manifest === undefined ? [] : [manifest])))
    },
  }

  if (access === 'rw')
    void inTurn(() => inModFolders(folders, (opened) => endInterrupted(opened))).catch((error: unknown) =>
      log.warn(
        { cause: String(error) },
        'an interrupted change of the mods is not ended: MODS_DIR cannot be changed',
      ),
    )
  const forgetChange = async () => {
    if ((await kept.read()).changedAt !== undefined) await kept.change(({ changedAt: _, ...state }) => state)
  }
  let ticks = 0
  return {
    port: withFailures(port),
    /** Notes a new start of the game. Call it every second. */
    tick() {
      const { gameAvailable, tickCount } = game.health()
      if (!gameAvailable) return
      if (tickCount < ticks) void forgetChange().catch(() => undefined)
      ticks = tickCount
    },
    /** Waits for the current change. */
    async close() {
      await inTurn(async () => undefined)
    },
  }
}

const digestOf = (code: string) => createHash('sha256').update(code).digest('hex')

/** The same calls, whose errors of the archive and the file system are failures of the port. */
function withFailures(port: Mods): Mods {
  const failing =
    <Args extends readonly unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    (...args: Args): Promise<Answer> =>
      call(...args).catch((error: unknown) => {
        throw failureOf(error)
      })
  return {
    mods: failing(port.mods),
    installMods: failing(port.installMods),
    enableMod: failing(port.enableMod),
    disableMod: failing(port.disableMod),
    deleteMod: failing(port.deleteMod),
    setModSide: failing(port.setModSide),
    modsPack: failing(port.modsPack),
    makePackLink: failing(port.makePackLink),
    packLinks: failing(port.packLinks),
    revokePackLink: failing(port.revokePackLink),
    packLinkOf: failing(port.packLinkOf),
    modUpdates: failing(port.modUpdates),
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof BrokenArchive)
    return new FarmError({
      kind: 'archive_refused',
      sentence: `The zip is refused: ${error.message}`.slice(0, 1000),
    })
  if (error instanceof NotWritable)
    return new FarmError({
      kind: 'disk_failed',
      detail: `the game's user (${error.uid}) could not write to the mod`,
    })
  const wrong = wrongEntry(error, 'MODS_DIR')
  if (wrong !== undefined) return new FarmError({ kind: 'disk_failed', detail: wrong })
  const code = errorCode(error)
  if (code === 'EXDEV')
    return new FarmError({
      kind: 'disk_failed',
      detail: 'MODS_OFF_DIR is not on the file system of MODS_DIR',
    })
  return code === undefined || !/^E[A-Z]+$/.test(code)
    ? error
    : new FarmError({ kind: 'disk_failed', detail: code })
}
