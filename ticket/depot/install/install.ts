import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Filter } from '../plan/filter.ts'
import { bytesToFetch, changes, type FileWork, type Plan } from '../plan/plan.ts'
import type { DepotVersion } from '../platform.ts'
import { storageError } from '../storage-error.ts'
import { partialPath } from '../tree/file-names.ts'
import { removeEmptyFolders } from '../tree/folders.ts'
import { readMarker, removeMarker, writeMarker } from '../tree/marker.ts'
import { pruneContentManifest } from '../tree/prune-content-manifest.ts'
import { checkSpace } from '../tree/space.ts'
import { saveWrittenFiles } from '../tree/written-files.ts'
import { fetchAll } from './chunk-queue.ts'
import type { Context } from './context.ts'
import { type Inspection, inspect } from './inspect.ts'
import { openSource, type Source } from './source.ts'
import { openWriter, type Writer } from './tree-writer.ts'

/** Result of the download of one directory. */
export interface Installed {
  readonly version: DepotVersion
  readonly plan: Plan
  /** Number of paths written, repaired, deleted or otherwise changed; 0 when all were right already. */
  readonly changed: number
  /** Bytes and chunks that were downloaded. */
  readonly fetched: { readonly bytes: number; readonly chunks: number }
  readonly seconds: number
}

export interface InstallRequest {
  readonly appId: number
  readonly directory: string
  readonly filter: Filter
  /** Receives the plan before the first change. */
  readonly onPlan: (version: DepotVersion, plan: Plan) => void
  /** Called before the first change to the directory. */
  readonly beforeChange?: () => Promise<void>
}

/**
 * Updates one directory to an app's public version: checks the existing files, fetches chunks that differ, deletes
 * files of earlier downloads that are no longer wanted, and writes the completion marker last. The caller holds the lock.
 * @throws DownloadError; after the first change the directory has no marker then, and the next run continues
 */
export async function install(request: InstallRequest, context: Context): Promise<Installed> {
  const { appId, directory, filter, onPlan } = request
  const { progress, now, date } = context
  const started = now()
  await mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw storageError(error, directory)
  })
  try {
    progress.phase('connecting', 0)
    const source = await openSource(appId, context)
    const inspection = await inspect(directory, source, filter, context)
    const { root, plan } = inspection
    onPlan(source.version, plan)
    const marker = await readMarker(root, appId)
    const planned = changes(plan)
    const untouched = planned === 0 && marker?.manifestId === source.version.manifestId
    if (!untouched) await request.beforeChange?.()
    const fetched = untouched ? { bytes: 0, chunks: 0 } : await apply(inspection, source, context)
    const pruned = await pruneContentManifest(root)
    if (!untouched) {
      await saveWrittenFiles(root, plan.written)
      await writeMarker(root, source.version, plan.kept, date().toISOString())
    }
    const changed = planned + (pruned && planned === 0 ? 1 : 0)
    return { version: source.version, plan, changed, fetched, seconds: (now() - started) / 1000 }
  } finally {
    progress.end()
  }
}

async function apply(
  { root, plan, written }: Inspection,
  source: Source,
  context: Context,
): Promise<Installed['fetched']> {
  const works = [...plan.fetch, ...plan.repair]
  await checkSpace(root, spaceNeeded(works))
  await removeMarker(root, source.version.appId)
  // Entries of earlier runs take precedence: a new launcher is listed only after the run that wrote it has ended.
  await saveWrittenFiles(root, new Map([...plan.written, ...(written ?? [])]))
  await removeStale(root, plan)
  const writer = openWriter(root, context.workers)
  await makeFolders(root, plan, works, writer)
  const remaining = await copyGood(works, context)
  const fetched = await fetchMissing(remaining, source, writer, context)
  context.progress.phase('finishing', 0)
  for (const link of plan.links) await writer.link(link)
  for (const file of plan.modes) await writer.executable(file)
  await writer.sync()
  return fetched
}

/** @returns bytes needed: the growth of all files, plus the largest new file that exists together with its old one */
function spaceNeeded(works: readonly FileWork[]): number {
  const grown = works.reduce((sum, { file, oldSize }) => sum + Math.max(0, file.size - oldSize), 0)
  const replaced = works.filter(({ oldSize }) => oldSize > 0).map(({ file }) => file.size)
  return grown + Math.max(0, ...replaced)
}

async function removeStale(root: string, plan: Plan): Promise<void> {
  for (const path of plan.delete) {
    await rm(join(root, path), { force: true }).catch((error: unknown) => {
      throw storageError(error, path)
    })
    await rm(partialPath(root, path), { force: true })
  }
  await removeEmptyFolders(root, plan.delete)
}

async function makeFolders(
  root: string,
  plan: Plan,
  works: readonly FileWork[],
  writer: Writer,
): Promise<void> {
  for (const { path } of plan.directories) await writer.directory(join(root, path))
  const folders = new Set(
    [...works.map(({ at }) => at), ...plan.links.map(({ path }) => join(root, path))].map(dirname),
  )
  for (const folder of folders) await writer.directory(folder)
  for (const { part, why } of works) if (why === 'forced') await rm(part, { force: true })
}

const chunksPerCopy = 32

/** Copies good chunks of old files into the partial files. A chunk that changed since the check is fetched. */
async function copyGood(works: readonly FileWork[], { workers, progress }: Context): Promise<FileWork[]> {
  const copying = works.reduce((sum, { copy }) => sum + copy.reduce((bytes, { size }) => bytes + size, 0), 0)
  if (copying > 0) progress.phase('copying', copying)
  return Promise.all(
    works.map(async (work) => {
      const notCopied: FileWork['copy'][number][] = []
      for (let at = 0; at < work.copy.length; at += chunksPerCopy) {
        const chunks = work.copy.slice(at, at + chunksPerCopy)
        const from = work.at
        const loaderFix = true
        const copied = await workers.run<'copy'>({ do: 'copy', from, part: work.part, chunks, loaderFix })
        notCopied.push(...chunks.filter((_, index) => copied[index] !== true))
        progress.advance(chunks.reduce((bytes, { size }) => bytes + size, 0))
      }
      return notCopied.length === 0 ? work : { ...work, fetch: [...work.fetch, ...notCopied] }
    }),
  )
}

async function fetchMissing(
  works: readonly FileWork[],
  { version, key, cdn }: Source,
  writer: Writer,
  { workers, connectionCount, workerCount, progress, signal }: Context,
): Promise<Installed['fetched']> {
  let bytes = 0
  let chunks = 0
  progress.phase('downloading', bytesToFetch({ fetch: works, repair: [] }).packed)
  await fetchAll(works, {
    depotId: version.depotId,
    key,
    cdn,
    workers,
    width: connectionCount + 2 * workerCount,
    signal,
    finish: (files) => writer.finish(files),
    watch: ({ packed }) => {
      bytes += packed
      chunks += 1
      progress.advance(packed)
    },
  })
  return { bytes, chunks }
}
