/** Builds the programs once for all tests of a run that start them (`programs.ts`). */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

declare global {
  // Vitest loads this file once for each project that names it, all in one process.
  var programsBuild: Promise<unknown> | undefined
}

export async function setup(): Promise<void> {
  globalThis.programsBuild ??= promisify(execFile)(process.execPath, ['deploy/programs/build.ts'], {
    cwd: new URL('../', import.meta.url),
  })
  await globalThis.programsBuild
}
