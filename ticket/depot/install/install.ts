import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Filter } from '../plan/filter.ts'
import { bytesToFetch, changes, type FileWork, type Plan } from '../plan/plan.ts'
import { spaceNeeded } from '../plan/space-needed.ts'
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
  const fetched = await fetchMissing(works, source, writer, context)
  context.progress.phase('finishing', 0)
  for (const link of plan.links) await writer.link(link)
  for (const file of plan.modes) await writer.executable(file)
  await writer.sync()
  return fetched
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

async function fetchMissing(
  works: readonly FileWork[],
  { version, key, cdn }: Source,
  writer: Writer,
  { workers, connectionCount, workerCount, progress, signal }: Context,
): Promise<Installed['fetched']> {
  let bytes = 0
  let chunks = 0
  const copied = works.reduce((sum, { copy }) => sum + copy.reduce((part, { size }) => part + size, 0), 0)
  const packed = bytesToFetch({ fetch: works, repair: [] }).packed
  progress.phase(copied > 0 ? 'updating' : 'downloading', packed + copied)
  await fetchAll(works, {
    depotId: version.depotId,
    key,
    cdn,
    workers,
    width: connectionCount + 2 * workerCount,
    signal,
    finish: (files) => writer.finish(files),
    onFetched: (chunk) => {
      bytes += chunk.packed
      chunks += 1
      progress.advance(chunk.packed)
    },
    onCopied: (count) => progress.advance(count),
  })
  return { bytes, chunks }
}
