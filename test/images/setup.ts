/**
 * Builds both images while other tests are already running. Where they cannot be built or run, the tests of the images
 * are skipped and the reason is printed.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildImages } from '../../deploy/images/build.ts'
import { engineProblem, missingPrograms, type Needed } from '../../deploy/images/engine.ts'
import { canRun } from '../left-out.ts'

declare module 'vitest' {
  interface ProvidedContext {
    images: { readonly problem: string | undefined; readonly result: string; readonly secret: string }
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'farmgate-images-'))
/** The content of files next to the sources that no image must have. */
const secret = 'canary-secret-next-to-the-sources'
const secretPaths = [
  '.env',
  '.dev.vars',
  'secrets/api/api_key',
  'settings/server-settings.json',
  'runtime/.env.local',
  'ticket/.env',
  'session-junimo.json',
]

/** Programs that the tests need in addition to those of the build. */
const needed: readonly Needed[] = [
  ['ip', '-Version', 'iproute2'],
  ['nsenter', '--version', 'util-linux'],
  ['pgrep', '--version', 'procps'],
  ['iptables', '--version', 'iptables'],
  ['/usr/lib/podman/netavark', '--version', 'netavark'],
  ['/usr/lib/podman/aardvark-dns', '--version', 'aardvark-dns'],
]

/** The current files of the repository, with secrets next to them as an operator has them. */
function copyRepository(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  for (const path of listed.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(root, path), join(to, path), { force: true })
  }
  for (const path of secretPaths) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    writeFileSync(join(to, path), secret)
  }
}

let building: Promise<void> | undefined

export function setup({ provide }: TestProject): void {
  const problem = engineProblem() ?? missingPrograms(needed)
  const result = join(folder, 'built.json')
  provide('images', { problem, result, secret })
  if (!canRun('all tests of the images', problem)) return
  const context = join(folder, 'repository')
  copyRepository(context)
  building = buildImages(context, () => undefined).then(
    (images) => writeFileSync(result, JSON.stringify({ images })),
    (error) => writeFileSync(result, JSON.stringify({ error: String(error) })),
  )
}

export async function teardown(): Promise<void> {
  await building
  rmSync(folder, { recursive: true, force: true })
}
