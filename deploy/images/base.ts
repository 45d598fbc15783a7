/** Makes the base of both images from Debian's packages and the Node of this checkout, under the public image's name. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from './engine.ts'

const publicName = 'docker.io/library/node:24-slim'
const debian = 'localhost/farmgate-debian'
const ours = new URL('base/', import.meta.url).pathname

/** As in the public image of Debian, without manual pages and translations. `force-unsafe-io` does not wait for the disk. */
const debootstrap = [
  '--quiet',
  '--variant=minbase',
  '--aptopt=Acquire::Languages "none"',
  '--dpkgopt=force-unsafe-io',
  '--dpkgopt=path-exclude=/usr/share/doc/*',
  '--dpkgopt=path-include=/usr/share/doc/*/copyright',
  '--dpkgopt=path-exclude=/usr/share/man/*',
  '--dpkgopt=path-exclude=/usr/share/locale/*',
]

/**
 * Makes the base, unless the engine has one of the same Node and the same recipe that is at most a week old. Removing
 * an older base removes all images that were built on it.
 * @param temporary a folder for files of the build
 */
export async function makeBase(run: Run, temporary: string, now: Date = new Date()): Promise<void> {
  // The command is a link to npm/bin/npm-cli.js.
  const npm = join(realpathSync(await run('sh', '-c', 'command -v npm')), '../..')
  const week = Math.floor(now.getTime() / (7 * 86_400_000))
  const recipe = ['Dockerfile', 'docker-entrypoint.sh'].map((name) => readFileSync(join(ours, name), 'utf8'))
  const key = createHash('sha256')
    .update(JSON.stringify([process.version, npm, week, debootstrap, recipe]))
    .digest('hex')
    .slice(0, 16)
  const kept = `localhost/farmgate-base:${key}`
  if (!(await exists(run, kept))) {
    await run('podman', 'rmi', '--all', '--force')
    const folder = mkdtempSync(join(temporary, 'base-'))
    try {
      const root = join(folder, 'debian.tar')
      await run('mmdebstrap', ...debootstrap, codename(), root)
      await run('podman', 'import', root, debian)
      rmSync(root)
      cpSync(ours, folder, { recursive: true })
      cpSync(process.execPath, join(folder, 'node'))
      cpSync(npm, join(folder, 'npm'), { recursive: true })
      await run(
        'podman',
        'build',
        '--format=docker',
        '--isolation=chroot',
        '--pull=never',
        `--tag=${kept}`,
        folder,
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  await run('podman', 'tag', kept, publicName)
}

const exists = (run: Run, image: string) =>
  run('podman', 'image', 'exists', image).then(
    () => true,
    () => false,
  )

/** The code name of this machine's Debian, whose package sources are used. */
function codename(): string {
  const file = '/etc/os-release'
  const [, name] = (existsSync(file) && /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync(file, 'utf8'))) || []
  if (name === undefined)
    throw new Error('only a Debian can make the base: /etc/os-release names no VERSION_CODENAME')
  return name
}
