/** Files of a manifest with two chunks, and one of them on disk. */
import type { Chunk, DepotFile } from '../../../ticket/depot/format/depot-file.ts'
import type { FileState } from '../../../ticket/depot/tree/check-file.ts'

export const chunk = (sha: string, offset = 0, size = 10, packed = 16): Chunk => ({
  sha,
  offset,
  size,
  packed,
})
export const file = (path: string, more: Partial<DepotFile> = {}): DepotFile => ({
  path,
  kind: 'file',
  size: 20,
  sha: `sha of ${path}`,
  executable: false,
  target: '',
  chunks: [chunk(`${path} 1`), chunk(`${path} 2`, 10)],
  ...more,
})
export const good = { is: 'good', modeWrong: false, fixMissing: false } as const satisfies FileState
