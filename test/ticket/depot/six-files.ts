/** A depot of six files, and its download in a separate process. */
import { fileURLToPath } from 'node:url'
import { downloadFailure } from '../../../ticket/depot/download-failure.ts'
import { exitCodes, Failure } from '../../../ticket/errors.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import type { ChildOrder } from './child.ts'

export const child = fileURLToPath(new URL('./child.ts', import.meta.url))
export const depot = makeDepot({
  files: Array.from({ length: 6 }, (_, index) => ({
    path: `f${index}`,
    content: seededBytes(index, 600_000),
  })),
})

/** The download of a depot, of the six files unless given. */
export function orderFor(
  host: string,
  directory: string,
  more: Partial<ChildOrder> = {},
  of = depot,
): string {
  const { depotId, manifestId, key } = of
  const order: ChildOrder = {
    host,
    directory,
    depotId,
    manifestId,
    key: key.toString('hex'),
    filtered: false,
    ...more,
  }
  return JSON.stringify(order)
}

/** The exit code of a command for this error. */
export function exitCode(error: unknown): number | undefined {
  const failure = downloadFailure('Download', error)
  return failure instanceof Failure ? exitCodes[failure.kind] : undefined
}
