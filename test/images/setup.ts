/**
 * Builds both images while other tests are already running. Where they cannot be built or run, the tests of the images
 * are skipped and the reason is printed.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildImages, cacheFolder } from '../../deploy/images/build.ts'
import { engineProblem, missingPrograms, type Needed, openEngine } from '../../deploy/images/engine.ts'
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

/** The current files of the repository that an image can have. */
const sources = () =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
    .toString()
    .split('\0')
    .filter((path) => path !== '' && !/^(?:bench|test)\//.test(path))

/** A copy of the repository, with secrets next to the sources as an operator has them. */
function copyRepository(paths: readonly string[], to: string): void {
  for (const path of [...paths, ...secretPaths]) mkdirSync(dirname(join(to, path)), { recursive: true })
  for (const path of paths) cpSync(join(root, path), join(to, path), { force: true })
  for (const path of secretPaths) writeFileSync(join(to, path), secret)
}

/** Builds the images, unless those of the same sources are kept: podman takes seconds to find each step in its cache. */
async function imagesOf(paths: readonly string[]): Promise<object> {
  const contents = paths.map((path) => [path, readFileSync(join(root, path), 'latin1')])
  // A base is kept for a week.
  const week = Math.floor(Date.now() / (7 * 86_400_000))
  const key = createHash('sha256').update(JSON.stringify([process.version, week, secretPaths, contents]))
  const kept = join(cacheFolder, `built-${key.digest('hex').slice(0, 16)}.json`)
  if (existsSync(kept)) {
    const images: object = JSON.parse(readFileSync(kept, 'utf8'))
    const run = openEngine({ folder: cacheFolder })
    const exist = Object.values(images).map((image) => run('podman', 'image', 'exists', image))
    if ((await Promise.allSettled(exist)).every(({ status }) => status === 'fulfilled')) return images
  }
  const context = join(folder, 'repository')
  copyRepository(paths, context)
  const images = await buildImages(context, () => undefined)
  writeFileSync(kept, JSON.stringify(images))
  return images
}

let building: Promise<void> | undefined

export function setup({ provide }: TestProject): void {
  const problem = engineProblem() ?? missingPrograms(needed)
  const result = join(folder, 'built.json')
  provide('images', { problem, result, secret })
  if (!canRun('all tests of the images', problem)) return
  building = imagesOf(sources()).then(
    (images) => writeFileSync(result, JSON.stringify({ images })),
    (error) => writeFileSync(result, JSON.stringify({ error: String(error) })),
  )
}

export async function teardown(): Promise<void> {
  await building
  rmSync(folder, { recursive: true, force: true })
}
