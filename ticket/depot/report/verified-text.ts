import type { Verified } from '../install/verify.ts'
import { fileCount, size } from '../sizes.ts'

/** What a check found, one line for each thing that differs. */
export function verifiedText({ version, files, bytes, differences, replaced, unfinished }: Verified): string {
  const verdict = differences.length === 0 ? 'all right' : `${differences.length} differ`
  return [
    `${version.name} (version ${version.manifestId}): ${fileCount(files)}, ${size(bytes)}, ${verdict}`,
    ...differences.map(({ path, what }) => `  ${what}: ${path}`),
    ...replaced.map((path) => `  replaced, left alone: ${path}`),
    ...(unfinished ? ['  the completion marker is missing: a download did not end'] : []),
  ].join('\n')
}
