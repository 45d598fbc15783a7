import { DownloadError } from '../../errors.ts'
import type { Chunk, DepotFile } from '../format/depot-file.ts'
import type { Manifest } from '../format/manifest.ts'
import type { FileState } from '../tree/check-file.ts'
import { isReplaceable, storedPath } from '../tree/file-names.ts'
import type { WrittenFiles } from '../tree/written-files.ts'
import type { Filter } from './filter.ts'

/** One file to write and the source of its chunks. Chunks in neither list are in its partial file already. */
export interface FileWork {
  readonly file: DepotFile
  /** Its place in the tree. */
  readonly at: string
  /** Chunks to copy from the existing file. */
  readonly copy: readonly Chunk[]
  /** Chunks to download. */
  readonly fetch: readonly Chunk[]
  readonly why: 'missing' | 'different' | 'loader fix missing' | 'forced'
  /** Size in bytes of the file that is replaced; 0 when there is none. */
  readonly oldSize: number
}

/** Number and size of the files left out for one reason. */
export interface LeftOut {
  readonly why: string
  readonly files: number
  readonly bytes: number
}

/** All changes of a download to one directory. */
export interface Plan {
  readonly kept: { readonly files: number; readonly bytes: number }
  readonly leftOut: readonly LeftOut[]
  readonly good: number
  /** Files that are not there; with `force`, all files. */
  readonly missing: readonly FileWork[]
  readonly repair: readonly FileWork[]
  readonly links: readonly DepotFile[]
  readonly directories: readonly DepotFile[]
  /** Files that lack only their executable bit. */
  readonly modes: readonly DepotFile[]
  /** Paths that an earlier run wrote and that are not in the filtered manifest. */
  readonly delete: readonly string[]
  /** Launcher files that a mod loader has replaced; they are not changed. */
  readonly replaced: readonly string[]
  /** The list of written files after the download. */
  readonly written: WrittenFiles
}

/** Splits a manifest into kept and left-out files. Directories are always kept. */
export function applyFilter(manifest: Manifest, filter: Filter): { kept: DepotFile[]; leftOut: LeftOut[] } {
  const kept: DepotFile[] = []
  const reasons = new Map<string, { files: number; bytes: number }>()
  for (const file of manifest.files) {
    const why = file.kind === 'directory' ? undefined : filter.whyLeftOut(file.path)
    if (why === undefined) {
      kept.push(file)
      continue
    }
    const sum = reasons.get(why) ?? { files: 0, bytes: 0 }
    sum.files += 1
    sum.bytes += file.size
    reasons.set(why, sum)
  }
  return { kept, leftOut: [...reasons].map(([why, sum]) => ({ why, ...sum })) }
}

/** State on disk of a manifest's files, and of partial files that an earlier run left. */
export interface Survey {
  /** States of the files that are not missing. */
  readonly states: ReadonlyMap<string, FileState>
  /** For files that are not good: which chunks their partial file has. */
  readonly parts: ReadonlyMap<string, readonly boolean[]>
}

/** Input of a plan. */
export interface PlanParts {
  readonly kept: readonly DepotFile[]
  readonly leftOut: readonly LeftOut[]
  readonly survey: Survey
  /** SHA-1 of files in the installed version, as far as it is known. */
  readonly before: WrittenFiles
  /** Existing paths that an earlier run wrote and that are not in the filtered manifest. */
  readonly stale: readonly string[]
  /** Fetch all files, also good ones. */
  readonly force: boolean
}

/** Decides which files to keep, fetch, repair and delete. Reads and writes nothing. @throws DownloadError `conflict` */
export function makePlan(parts: PlanParts): Plan {
  const { kept, leftOut, survey, before, stale, force } = parts
  const plan = {
    good: 0,
    missing: [] as FileWork[],
    repair: [] as FileWork[],
    links: [] as DepotFile[],
    directories: [] as DepotFile[],
    modes: [] as DepotFile[],
    replaced: [] as string[],
  }
  const deleted = new Set(stale)
  for (const file of kept) {
    const state = survey.states.get(file.path) ?? { is: 'missing' }
    if (state.is === 'other') checkConflict(file, state.kind, deleted)
    if (file.kind === 'directory') {
      if (state.is !== 'good') plan.directories.push(file)
    } else if (file.kind === 'link') {
      if (state.is === 'good') plan.good += 1
      else plan.links.push(file)
    } else if (!force && isReplaced(file, state, before)) {
      plan.replaced.push(file.path)
      plan.good += 1
    } else if (!force && state.is === 'good' && !state.fixMissing) {
      if (state.modeWrong) plan.modes.push(file)
      else plan.good += 1
    } else {
      const work = fileWork(file, state, survey.parts.get(file.path), force)
      if (state.is === 'missing' || force) plan.missing.push(work)
      else plan.repair.push(work)
    }
  }
  const wanted = kept.filter(({ kind }) => kind !== 'directory')
  return {
    ...plan,
    kept: { files: wanted.length, bytes: wanted.reduce((sum, { size }) => sum + size, 0) },
    leftOut,
    delete: stale,
    written: new Map(wanted.map(({ path, sha }) => [path, sha])),
  }
}

/** Whether a mod loader has replaced a file whose version in the manifest has not changed, as far as is known. */
function isReplaced(file: DepotFile, state: FileState, before: WrittenFiles): boolean {
  const sha = before.get(file.path)
  return mayBeReplaced(file, state) && (sha === undefined || sha === file.sha)
}

/** @returns whether another file or a link is in place of a file that mod loaders replace */
export function mayBeReplaced(file: DepotFile, state: FileState | undefined): boolean {
  const isOther = state?.is === 'different' || (state?.is === 'other' && state.kind === 'link')
  return isOther && isReplaceable(file.path)
}

/** @throws DownloadError `conflict` for a special file, or a file that no download wrote where a folder is needed */
function checkConflict(file: DepotFile, found: string, stale: ReadonlySet<string>): void {
  const inTheWay = found === 'special' || (file.kind === 'directory' && !stale.has(file.path))
  if (!inTheWay) return
  const wanted = file.kind === 'directory' ? 'folder' : file.kind
  throw new DownloadError(
    'conflict',
    `${file.path}: a ${found} is where a ${wanted} must be; remove it first`,
  )
}

const none: readonly Chunk[] = []

function fileWork(
  file: DepotFile,
  state: FileState,
  inPart: readonly boolean[] | undefined,
  force: boolean,
): FileWork {
  const place = { file, at: storedPath(file.path) }
  const oldSize = state.is === 'different' ? state.size : state.is === 'good' ? file.size : 0
  if (force) return { ...place, copy: none, fetch: file.chunks, why: 'forced', oldSize }
  const why = state.is === 'missing' ? 'missing' : state.is === 'good' ? 'loader fix missing' : 'different'
  if (inPart === undefined && state.is !== 'good' && state.is !== 'different')
    return { ...place, copy: none, fetch: file.chunks, why, oldSize }
  const inOld = (index: number): boolean =>
    state.is === 'good' || (state.is === 'different' && state.good[index] === true)
  const left = (index: number): boolean => inPart?.[index] !== true
  return {
    ...place,
    copy: file.chunks.filter((_, index) => left(index) && inOld(index)),
    fetch: file.chunks.filter((_, index) => left(index) && !inOld(index)),
    why,
    oldSize,
  }
}

/** Sizes and number of the chunks to fetch; equal chunks count once. `packed` is the download size in bytes. */
export function bytesToFetch(works: readonly FileWork[]): {
  packed: number
  plain: number
  chunks: number
} {
  const seen = new Map<string, Chunk>()
  for (const { fetch } of works) for (const chunk of fetch) seen.set(chunk.sha, chunk)
  const chunks = [...seen.values()]
  return {
    packed: chunks.reduce((sum, { packed }) => sum + packed, 0),
    plain: chunks.reduce((sum, { size }) => sum + size, 0),
    chunks: chunks.length,
  }
}

/** Number of paths that a plan changes. */
export function changes(plan: Plan): number {
  const { missing, repair, links, directories, modes } = plan
  return (
    missing.length + repair.length + links.length + directories.length + modes.length + plan.delete.length
  )
}
