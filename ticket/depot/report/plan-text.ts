import { bytesToFetch, type FileWork, type LeftOut, type Plan } from '../plan/plan.ts'
import type { DepotVersion } from '../platform.ts'
import { fileCount, size } from '../sizes.ts'

/** The plan in a few lines: files and bytes kept and left out, with reasons, and the changes. */
export function planText(version: DepotVersion, plan: Plan): string {
  const { name, appId, depotId, manifestId } = version
  const transfer = bytesToFetch([...plan.missing, ...plan.repair])
  const lines = [
    `${name} (app ${appId}, depot ${depotId}, version ${manifestId})`,
    `  keep      ${amount(plan.kept.files, plan.kept.bytes)}`,
    ...leftOutLines(plan.leftOut),
    `  good      ${fileCount(plan.good)}`,
    ...line('fetch', plan.missing),
    ...line('repair', plan.repair),
    ...(plan.links.length > 0 ? [`  link      ${fileCount(plan.links.length)}`] : []),
    ...(plan.modes.length > 0 ? [`  chmod     ${fileCount(plan.modes.length)}`] : []),
    ...(plan.delete.length > 0 ? [`  delete    ${fileCount(plan.delete.length)}`] : []),
    ...(plan.replaced.length > 0 ? [`  replaced  ${plan.replaced.join(', ')} (left alone)`] : []),
    `  transfer  ${size(transfer.packed)} in ${transfer.chunks === 1 ? '1 chunk' : `${transfer.chunks} chunks`}`,
  ]
  return lines.join('\n')
}

/** The plan as JSON, with all files by name. */
export function planJson(version: DepotVersion, plan: Plan): object {
  const names = (works: readonly FileWork[]) =>
    works.map(({ file, why, fetch }) => ({ path: file.path, bytes: file.size, why, chunks: fetch.length }))
  return {
    ...version,
    kept: plan.kept,
    leftOut: plan.leftOut,
    good: plan.good,
    fetch: names(plan.missing),
    repair: names(plan.repair),
    links: plan.links.map(({ path }) => path),
    modes: plan.modes.map(({ path }) => path),
    delete: plan.delete,
    replaced: plan.replaced,
    transfer: bytesToFetch([...plan.missing, ...plan.repair]),
  }
}

function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return []
  const sum = (count: 'files' | 'bytes'): number => leftOut.reduce((all, reason) => all + reason[count], 0)
  return [
    `  leave out ${amount(sum('files'), sum('bytes'))}`,
    ...leftOut.map(({ why, files: count, bytes }) => `              ${why}: ${amount(count, bytes)}`),
  ]
}

function line(label: string, works: readonly FileWork[]): string[] {
  if (works.length === 0) return []
  return [
    `  ${label.padEnd(9)} ${amount(
      works.length,
      works.reduce((sum, { file }) => sum + file.size, 0),
    )}`,
  ]
}

function amount(count: number, bytes: number): string {
  return `${fileCount(count)}, ${size(bytes)}`
}
