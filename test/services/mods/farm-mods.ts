/** Folders of mods in a temporary folder, and the service on them. */
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { FarmError, type FarmFailure } from '../../../handlers/farm-error.ts'
import type { ModRecord } from '../../../handlers/mod-record.ts'
import type { Mods } from '../../../handlers/mods.ts'
import { type ModsParts, openMods } from '../../../services/mods/open-mods.ts'
import { craftedZip } from '../../backups/crafted-zip.ts'
import { silent } from '../../logs.ts'

export interface TestManifest {
  readonly id: string
  readonly version?: string
  readonly contentFor?: string
  readonly needs?: readonly (string | object)[]
  readonly more?: object
}

/** The text of a `manifest.json`. */
export const manifestOf = ({ id, version = '1.0.0', contentFor, needs = [], more }: TestManifest): string =>
  JSON.stringify({
    Name: id.replace(/^.*\./, ''),
    Author: 'Abby',
    Version: version,
    Description: 'A mod for tests',
    UniqueID: id,
    ...(contentFor === undefined ? { EntryDll: 'Mod.dll' } : { ContentPackFor: { UniqueID: contentFor } }),
    Dependencies: needs.map((one) => (typeof one === 'string' ? { UniqueID: one } : one)),
    ...more,
  })

/** The zip of mods, by their folders in it, and of other files. */
export const zipOf = (
  mods: Readonly<Record<string, TestManifest>>,
  files: Readonly<Record<string, string | Buffer>> = {},
): Buffer =>
  craftedZip([
    ...Object.entries(mods).flatMap(([folder, manifest]) => [
      { name: join(folder, 'manifest.json'), content: manifestOf(manifest) },
      { name: join(folder, 'Mod.dll'), content: `code of ${manifest.id} ${manifest.version ?? '1.0.0'}` },
    ]),
    ...Object.entries(files).map(([name, content]) => ({ name, content })),
  ])

async function* piecesOf(zip: Buffer): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < zip.length; at += 1000) yield zip.subarray(at, at + 1000)
}

/** Every file below a folder with its content, by its path. */
export function filesIn(folder: string, below = ''): Record<string, string> {
  if (!existsSync(join(folder, below))) return {}
  return Object.assign(
    {},
    ...readdirSync(join(folder, below)).map((name) => {
      const path = join(below, name)
      return statSync(join(folder, path)).isDirectory()
        ? filesIn(folder, path)
        : { [path]: readFileSync(join(folder, path), 'utf8') }
    }),
  )
}

export interface FarmMods {
  readonly root: string
  readonly dir: string
  readonly offDir: string
  /** Writes a mod as an operator would. @param off into the folder of disabled ones */
  put(folder: string, manifest: TestManifest | string, off?: 'off'): void
  write(path: string, content: string | Buffer): void
  open(more?: Partial<ModsParts>): ReturnType<typeof openMods>
  remove(): void
}

export function farmMods(): FarmMods {
  const root = mkdtempSync(join(tmpdir(), 'farmgate-mods-'))
  const [dir, offDir] = [join(root, 'Mods'), join(root, 'Mods.off')]
  mkdirSync(dir)
  const write: FarmMods['write'] = (path, content) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return {
    root,
    dir,
    offDir,
    write,
    put: (folder, manifest, off) =>
      write(
        join(off === undefined ? 'Mods' : 'Mods.off', folder, 'manifest.json'),
        typeof manifest === 'string' ? manifest : manifestOf(manifest),
      ),
    open: (more) =>
      openMods({
        dir,
        offDir,
        access: 'rw',
        updatesUrl: undefined,
        dataDir: join(root, 'data'),
        publicUrl: undefined,
        backups: {
          makeBackup: () =>
            Promise.reject(new FarmError({ kind: 'unsupported', by: 'farmgate', what: 'do it' })),
        },
        game: {
          health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }),
        },
        startedAt: async () => undefined,
        room: async () => Number.POSITIVE_INFINITY,
        fetch: globalThis.fetch,
        now: Date.now,
        monotonic: () => performance.now(),
        randomBytes,
        log: silent,
        ...more,
      }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Folders of mods that are removed after the test. */
export function folders(): FarmMods {
  const farm = farmMods()
  onTestFinished(farm.remove)
  return farm
}

export const shown = async (port: Mods, id: string): Promise<ModRecord> =>
  (await port.mods()).mods.find((mod) => mod.id === id) ?? expect.fail(`no mod ${id}`)

export const install = (port: Mods, zip: Buffer): ReturnType<Mods['installMods']> =>
  port.installMods(piecesOf(zip))

/** How a call fails. */
export const failureOf = (call: Promise<unknown>): Promise<FarmFailure> =>
  call.then(
    () => expect.fail('it was not refused'),
    (error: unknown) => (error instanceof FarmError ? error.failure : expect.fail(String(error))),
  )
