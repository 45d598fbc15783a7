/** A shell that runs the code blocks of README.md and docs/ as printed. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ServerUnderTest } from '../contract/server-under-test.ts'
import { inherited } from '../inherited.ts'
import { newFolder } from './farmgate.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export interface PageShell {
  readonly cwd: string
  readonly volumes: string
  dockerLog(): string
  /** Runs a block with replaced addresses and paths. */
  run(block: string, replaced?: Readonly<Record<string, string>>, input?: string): Promise<string>
}

/** A folder in which `farmgate`, `npx farmgate` and `docker` belong to this checkout. */
export function pageShell({ url, key }: Pick<ServerUnderTest, 'url' | 'key'>): PageShell {
  const cwd = newFolder()
  const bin = join(newFolder(), 'bin')
  mkdirSync(bin)
  const volumes = newFolder()
  const log = join(volumes, '.docker.log')
  writeFileSync(log, '')
  const shim = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  shim('node', `exec '${process.execPath}' "$@"`)
  shim('farmgate', `exec node '${here('../../cli/main.ts')}' "$@"`)
  shim('npx', 'shift\nexec farmgate "$@"')
  shim('docker', `exec node '${here('docker-stand-in.ts')}' "$@"`)
  for (const name of ['sudo', 'systemctl']) shim(name, `echo '${name}' "$@" >> '${log}'`)
  // Only root can give files to another user.
  if (process.getuid?.() !== 0) shim('chown', 'true')
  const env = {
    ...inherited,
    PATH: `${bin}:${inherited['PATH']}`,
    HOME: cwd,
    XDG_CONFIG_HOME: join(cwd, '.config'),
    API_KEY: key,
    API_PORT: new URL(url).port,
    DOCKER_LOG: log,
    VOLUMES: volumes,
  }
  return {
    cwd,
    volumes,
    dockerLog: () => readFileSync(log, 'utf8'),
    async run(block, replaced = {}, input = '') {
      const all = { 'http://localhost:8080': url, 'https://farm.example': url, ...replaced }
      const script = Object.entries(all).reduce(
        (text, [written, ours]) => text.replaceAll(written, ours),
        block,
      )
      const running = promisify(execFile)('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script], {
        cwd,
        env,
      })
      // A block that reads no input might have ended already.
      running.child.stdin?.on('error', () => undefined).end(input)
      return (await running).stdout
    },
  }
}
