import type { Installed } from '../install/install.ts'
import type { Verified } from '../install/verify.ts'
import { duration, fileCount, size } from '../sizes.ts'

/** Summary of a download: files changed, bytes fetched and bytes saved. */
export function summaryText({ version, plan, changed, fetched, seconds }: Installed): string {
  if (changed === 0)
    return `${version.name}: 0 changed, ${fileCount(plan.kept.files)} right (${duration(seconds)})`
  const leftOut = plan.leftOut.reduce((sum, { bytes }) => sum + bytes, 0)
  const saved = Math.max(0, plan.kept.bytes + leftOut - fetched.bytes)
  const rate = size(Math.round(fetched.bytes / Math.max(seconds, 0.001)))
  return [
    `${version.name}: ${changed} changed in ${duration(seconds)}`,
    `  kept ${plan.good}, fetched ${plan.missing.length}, repaired ${plan.repair.length}, deleted ${plan.delete.length}`,
    `  left out ${size(leftOut)}; ${size(fetched.bytes)} came over the network (${rate}/s), ${size(saved)} saved`,
  ].join('\n')
}

/** The same summary as JSON; times in seconds, sizes in bytes. */
export function summaryJson({ version, plan, changed, fetched, seconds }: Installed): object {
  return {
    ...version,
    changed,
    kept: plan.good,
    fetched: plan.missing.length,
    repaired: plan.repair.length,
    deleted: plan.delete.length,
    leftOut: plan.leftOut.reduce((sum, { bytes }) => sum + bytes, 0),
    transferred: fetched,
    seconds: Math.round(seconds * 1000) / 1000,
  }
}

/** Result of `verify`, with one line for each difference. */
export function verifiedText({ version, files, bytes, differences, replaced, unfinished }: Verified): string {
  const verdict = differences.length === 0 ? 'all right' : `${differences.length} differ`
  return [
    `${version.name} (version ${version.manifestId}): ${fileCount(files)}, ${size(bytes)}, ${verdict}`,
    ...differences.map(({ path, what }) => `  ${what}: ${path}`),
    ...replaced.map((path) => `  replaced, left alone: ${path}`),
    ...(unfinished ? ['  the completion marker is missing: a download did not end'] : []),
  ].join('\n')
}
