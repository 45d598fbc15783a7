/**
 * Builds `dist/edge/` with wrangler, as a deployment is built. A bundle newer than all sources stays, so that a restart
 * takes no time; of several instances that start in one checkout, one builds it.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { childEnvironment } from '../lib/child-environment.ts'
import { lockFile } from '../lib/file-lock.ts'
import { bundled } from './bundle.ts'
import { completeBundle } from './complete-bundle.ts'
import { silent, wrangler } from './wrangler.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const target = join(dist, 'edge')
const sources = [
  'wrangler.toml',
  'package-lock.json',
  '{bridges,client,dashboard,docs,handlers,lib,own-edge,runtime,services}/**/*.*',
]

/** Milliseconds since 1970; 0 for a missing file. */
const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const isCurrent = () => {
  const builtAt = changedAt(join(target, bundled.settings))
  return globSync(sources, { cwd: root }).every((path) => changedAt(join(root, path)) < builtAt)
}

// A current bundle needs no right to write.
if (!isCurrent()) {
  mkdirSync(dist, { recursive: true })
  const lock = openSync(join(dist, '.edge.lock'), 'a')
  while (lockFile(lock) === 'held') await wait(200)
  if (!isCurrent()) await buildBundle()
}

async function buildBundle() {
  const folder = mkdtempSync(join(dist, 'edge-'))
  const made = join(folder, 'new')
  try {
    const args = ['deploy', '--dry-run', '--outdir', made, '--env-file', devNull]
    const { status, stdout, stderr } = spawnSync(process.execPath, [wrangler, ...args], {
      cwd: root,
      env: childEnvironment(process.env, silent),
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`wrangler cannot build the Worker:\n${stdout}${stderr}`)
    await completeBundle(made)
    rmSync(target, { recursive: true, force: true })
    renameSync(made, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
