/** Reports that a change, such as a new or revoked key, is not on the farm's disk. */
import { signal } from '@preact/signals'
import type { Deleted } from '../../client/index.ts'
import { texts } from '../texts/texts.ts'
import { Note } from './asked.tsx'

const isInMemory = signal(false)

/** Call this with the answer to each change. @returns it */
export function noteStored<Answer extends Pick<Deleted, 'stored'>>(answer: Answer): Answer {
  isInMemory.value = answer.stored === 'memory'
  return answer
}

/** Shown from a change that was only stored in memory until one is on the disk. */
export function StoredInMemory() {
  const { inMemory } = texts.value
  return <div role="status">{isInMemory.value && <Note {...inMemory} />}</div>
}
