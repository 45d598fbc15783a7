import type { Filter } from '../plan/filter.ts'
import { bytesToFetch, changes, type FileWork, type Plan } from '../plan/plan.ts'
import type { DepotVersion } from '../platform.ts'
import { folderOf, partialPath, storedPath } from '../tree/file-names.ts'
import { removeEmptyFolders } from '../tree/folders.ts'
import { type GameDirectory, makeGameDirectory, type Root } from '../tree/game-directory.ts'
import { removeLeftovers } from '../tree/leftovers.ts'
import { installedVersion, readMarker, removeMarker, writeMarker } from '../tree/marker.ts'
import { pruneContentManifest } from '../tree/prune-content-manifest.ts'
import { saveWrittenFiles, type WrittenFiles } from '../tree/written-files.ts'
import { fetchAll } from './chunk-queue.ts'
import type { Context } from './context.ts'
import { type Inspection, inspect } from './inspect.ts'
import { openSource, type Source } from './source.ts'
import { checkSpace, spaceNeeded } from './space.ts'
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
  readonly root: Root
  readonly filter: Filter
  /** Receives the plan before the first change. */
  readonly onPlan: (version: DepotVersion, plan: Plan) => void
  /** Whether to install the installed version again, so that a repair does not update. */
  readonly isPinned?: boolean
  /** Called right before the first installed file changes, when there is room for all changes. */
  readonly beforeChange?: () => void
}

/**
 * Updates one directory to an app's public version: checks the existing files, fetches chunks that differ, deletes
 * files of earlier downloads that are no longer wanted, and writes the completion marker last. The caller holds the lock.
 * @throws DownloadError; after the first change the directory has no marker then, and the next run continues
 */
export async function install(request: InstallRequest, context: Context): Promise<Installed> {
  const { appId, root, filter, onPlan, isPinned = false } = request
  const { progress, now, date } = context
  const started = now()
  const directory = makeGameDirectory(root)
  try {
    progress.phase('connecting', 0)
    const marker = readMarker(directory, appId)
    const pinned = isPinned ? installedVersion(directory, appId) : undefined
    const source = await openSource(appId, context, pinned)
    const inspection = await inspect(directory, source, filter, context)
    const { plan } = inspection
    onPlan(source.version, plan)
    const planned = changes(plan)
    const untouched = planned === 0 && marker?.manifestId === source.version.manifestId
    cleanUp(directory, inspection)
    const fetched = untouched
      ? { bytes: 0, chunks: 0 }
      : await apply(directory, inspection, source, context, request)
    const pruned = pruneContentManifest(directory, inspection.contentManifest)
    if (!untouched) {
      saveWrittenFiles(directory, plan.written)
      writeMarker(directory, source.version, plan.kept, date().toISOString())
    }
    const changed = planned + (pruned && planned === 0 ? 1 : 0)
    return { version: source.version, plan, changed, fetched, seconds: (now() - started) / 1000 }
  } finally {
    progress.end()
    directory.close()
  }
}

async function apply(
  directory: GameDirectory,
  { plan, written, before }: Inspection,
  source: Source,
  context: Context,
  { beforeChange, isPinned = false }: InstallRequest,
): Promise<Installed['fetched']> {
  const works = [...plan.missing, ...plan.repair]
  checkSpace(directory, spaceNeeded(works) - freedBy(directory, plan.delete))
  // Entries of earlier runs take precedence: a new launcher is listed only after the run that wrote it has ended. The
  // list is saved first, because without it only the marker shows which version is installed.
  saveWrittenFiles(directory, new Map([...plan.written, ...before]))
  beforeChange?.()
  removeMarker(directory, source.version.appId, isPinned)
  removeStale(directory, plan, written)
  const writer = openWriter(directory, context.workers)
  makeFolders(plan, works, writer)
  const fetched = await fetchMissing(directory.root, works, source, writer, context)
  context.progress.phase('finishing', 0)
  for (const link of plan.links) writer.link(link)
  for (const file of plan.modes) writer.executable(file)
  writer.sync()
  return fetched
}

/** @returns the bytes that deleting these files frees */
function freedBy(directory: GameDirectory, paths: readonly string[]): number {
  const found = paths.flatMap((path) => directory.status(path) ?? [])
  return found.reduce((sum, { nlink, size }) => sum + (nlink === 1 ? size : 0), 0)
}

/** Removes partial files that the plan does not continue. */
function cleanUp(directory: GameDirectory, { plan, written }: Inspection): void {
  const continued = [...plan.missing, ...plan.repair].filter(({ why }) => why !== 'forced')
  const paths = [...plan.written.keys(), ...(written?.keys() ?? [])]
  removeLeftovers(directory, paths, new Set(continued.map(({ at }) => partialPath(at))))
}

/** Deletes what the new version lacks. */
function removeStale(directory: GameDirectory, plan: Plan, written: WrittenFiles | undefined): void {
  for (const path of plan.delete) {
    directory.remove(path)
    directory.remove(storedPath(path))
  }
  removeEmptyFolders(
    directory,
    [...(written?.keys() ?? [])].filter((path) => !plan.written.has(path)),
  )
}

function makeFolders(plan: Plan, works: readonly FileWork[], writer: Writer): void {
  for (const { path } of plan.directories) writer.directory(path)
  const places = [...works.map(({ at }) => at), ...plan.links.map(({ path }) => path)]
  for (const folder of new Set(places.map(folderOf))) writer.directory(folder)
}

async function fetchMissing(
  root: Root,
  works: readonly FileWork[],
  { version, key, cdn }: Source,
  writer: Writer,
  { workers, connectionCount, workerCount, progress, signal }: Context,
): Promise<Installed['fetched']> {
  let bytes = 0
  let chunks = 0
  const copied = works.reduce((sum, { copy }) => sum + copy.reduce((part, { size }) => part + size, 0), 0)
  const packed = bytesToFetch(works).packed
  progress.phase(copied > 0 ? 'updating' : 'downloading', packed + copied)
  await fetchAll(works, {
    root,
    depotId: version.depotId,
    key,
    cdn,
    workers,
    width: connectionCount + 2 * workerCount,
    signal,
    finish: writer.finish,
    onFetched: (chunk) => {
      bytes += chunk.packed
      chunks += 1
      progress.advance(chunk.packed)
    },
    onCopied: (count) => progress.advance(count),
  })
  return { bytes, chunks }
}
