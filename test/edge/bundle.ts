/** The deployed Worker: bundled once, by wrangler itself, for all tests of a run. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { inherited } from '../inherited.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder with `worker.js`. */
    readonly edgeBundle: string
    /** The output of wrangler. */
    readonly edgeDryRun: string
  }
}

const root = new URL('../../', import.meta.url).pathname
export const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
/** The folder that vitest.config.ts names; wrangler keeps its other temporary files there too. */
export const bundled = join(root, '.wrangler/bundle')

/** The environment of wrangler: it uses no configuration of this user and sends no telemetry. */
export const wranglerEnv = (home: string) => ({
  ...inherited,
  HOME: home,
  XDG_CONFIG_HOME: home,
  WRANGLER_SEND_METRICS: 'false',
  CI: 'true',
})

declare global {
  // Vitest loads this file once for each project that names it, all in one process.
  var edgeDryRun: Promise<string> | undefined
}

export default async function bundle(project: TestProject): Promise<void> {
  globalThis.edgeDryRun ??= dryRun(bundled)
  project.provide('edgeBundle', bundled)
  project.provide('edgeDryRun', await globalThis.edgeDryRun)
}

/**
 * @param outdir the folder for `worker.js` @param entry of another Worker than the one in wrangler.toml @returns the
 * output of wrangler
 */
export async function dryRun(outdir: string, ...entry: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farmgate-edge-'))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [wrangler, 'deploy', ...entry, '--dry-run', '--outdir', outdir],
    { cwd: root, env: wranglerEnv(folder) },
  )
  await rm(folder, { recursive: true, force: true })
  return stdout
}
