/** Builds the dashboard once for all tests of a run that load it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

declare global {
  // Vitest loads this file once for each project that names it, all in one process.
  var dashboardBuild: Promise<unknown> | undefined
}

export async function setup(): Promise<void> {
  globalThis.dashboardBuild ??= promisify(execFile)(process.execPath, ['dashboard/build.ts'], {
    cwd: new URL('../../', import.meta.url),
    // Vitest sets another one, with which the build is larger than the one that people load.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  await globalThis.dashboardBuild
}
