/** The Worker as it would be deployed: bundled once, by wrangler itself, for all tests of a run. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder with `worker.js`. */
    readonly edgeBundle: string
    /** What wrangler said of it. */
    readonly edgeDryRun: string
  }
}

const root = new URL('../../', import.meta.url).pathname
export const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
/** Where vitest.config.ts expects it: among what wrangler leaves behind anyhow. */
const bundled = join(root, '.wrangler/bundle')

/** What wrangler may touch: nothing of this user's, and nobody is told of the run. */
export const wranglerEnv = (home: string) => ({
  PATH: process.env['PATH'],
  HOME: home,
  XDG_CONFIG_HOME: home,
  WRANGLER_SEND_METRICS: 'false',
  CI: 'true',
})

export default async function bundle(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'farmgate-edge-'))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [wrangler, 'deploy', '--dry-run', '--outdir', bundled],
    { cwd: root, env: wranglerEnv(folder) },
  )
  project.provide('edgeBundle', bundled)
  project.provide('edgeDryRun', stdout)
  return () => rm(folder, { recursive: true, force: true })
}
