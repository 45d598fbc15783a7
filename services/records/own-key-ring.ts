import { type KeyRing, keyRing } from '../../lib/key-ring.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { OwnRecords } from './own-records.ts'

/** Milliseconds that the start of the API waits for the named keys. */
const readWithin = 2000

/**
 * The keys of the farm's own process. The named keys are read again whenever they change.
 * @param apiKey SHA-256 of API_KEY; undefined where none is set
 * @param now milliseconds since 1970
 * @returns when the named keys were read, or after two seconds without them
 */
export async function ringOf(
  { calls, onKeys }: Pick<OwnRecords, 'calls' | 'onKeys'>,
  apiKey: Uint8Array | undefined,
  now: () => number,
): Promise<KeyRing> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const used = (id: string) => void calls.usedKey(id, now()).catch(() => undefined)
  const ring = keyRing({ apiKey, now, used })
  onKeys((keys) => {
    ring.set(keys)
    resolve()
  })
  await withTimeLimit(readWithin, promise, () => new Error('too late')).catch(() => undefined)
  return ring
}
