import { existsSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, inject } from 'vitest'
import { eventually } from '../wait.ts'

const { problem, result, secret } = inject('images')

/** The content of files next to the sources that must be in no image. */
export const secretNextToSources = secret

/** A time limit for tests that wait for the images: they are built from scratch on a new machine. */
export const buildTime = 15 * 60_000

/**
 * Tests with images, which are skipped where images cannot be built or run; `setup.ts` reports that once for all files.
 */
export function describeImages(title: string, tests: () => void): void {
  describe.runIf(problem === undefined)(title, tests)
}

const id = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const built = v.union([
  v.object({ images: v.object({ api: id, ticket: id }) }),
  v.object({ error: v.string() }),
])

/** @returns the ids of both images, once they are built @throws when the build failed */
export async function builtImages(): Promise<{ readonly api: string; readonly ticket: string }> {
  await eventually(() => existsSync(result), buildTime)
  const outcome = await eventually(() => v.parse(built, JSON.parse(readFileSync(result, 'utf8'))))
  if ('error' in outcome) throw new Error(outcome.error)
  return outcome.images
}
