/** Reports that a revocation or another deletion is not on the farm's disk. */
import { signal } from '@preact/signals'
import type { Deleted } from '../../client/index.ts'
import { texts } from '../texts/texts.ts'
import { Note } from './asked.tsx'

const isInMemory = signal(false)

/** Call this with the answer to each deletion. */
export function deleted({ stored }: Deleted): void {
  isInMemory.value = stored === 'memory'
}

/** Shown from a deletion that was only stored in memory until one is on the disk. */
export function StoredInMemory() {
  const { inMemory } = texts.value
  return <div role="status">{isInMemory.value && <Note {...inMemory} />}</div>
}
