/** Builds the dashboard as it is now, once for all tests of a run that load it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, ['dashboard/build.ts'], {
    cwd: new URL('../../', import.meta.url),
  })
}
