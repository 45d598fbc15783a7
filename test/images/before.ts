/** The images of the previous version: its programs, from the history of the repository, with today's packages. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import type { Machine } from './machine.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 256 * 1024 * 1024 })

/** @returns the last commit of the previous version @throws when the history does not reach it */
function commitBefore(): string {
  const since = git('log', '--format=%H', `-S"version": "${packageJson.version}"`, '--', 'package.json')
  const [first] = since.toString().trim().split('\n').slice(-1)
  return git('rev-parse', '--verify', `${first}~1`).toString().trim()
}

/** Builds them on a machine. @returns their names */
export async function imagesBefore(
  machine: Machine,
  images: { readonly api: string; readonly ticket: string },
) {
  const folders = { api: 'bridges cli client handlers lib runtime services', ticket: 'lib ticket' }
  const commit = commitBefore()
  const build = async (service: 'api' | 'ticket') => {
    const context = join(machine.folder, `before-${service}`)
    const sources = folders[service].split(' ')
    mkdirSync(context)
    const archive = join(context, 'sources.tar')
    writeFileSync(archive, git('archive', '--format=tar', commit, 'package.json', ...sources))
    const lines = [
      `FROM ${images[service]}`,
      'USER root',
      `RUN rm -rf ${sources.join(' ')}`,
      'ADD sources.tar /app/',
      'USER node',
    ]
    writeFileSync(join(context, 'Dockerfile'), lines.join('\n'))
    const name = `localhost/before-${service}`
    const options = [
      '--format=docker',
      '--isolation=chroot',
      '--network=host',
      '--pull=never',
      `--tag=${name}`,
    ]
    await machine.run('podman', 'build', ...options, context)
    return name
  }
  return { api: await build('api'), ticket: await build('ticket') }
}
