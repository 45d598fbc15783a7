/**
 * `docker` for the commands of the pages, without a container engine. A container's command runs here with its mounted
 * folders; other commands are written to the file that DOCKER_LOG names.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { DOCKER_LOG = '', VOLUMES = '' } = process.env
const [command = '', ...args] = process.argv.slice(2)

if (command === 'compose' && args[0] === 'exec') runHere(args.slice(args.indexOf('api') + 1), [])
else if (command === 'run') runInVolumes(args)
else appendFileSync(DOCKER_LOG, `${[command, ...args].join(' ')}\n`)

/** `run [--rm] [-i] [--user <name>] [-v <what>:<where>[:ro]]… [-w <where>] <image> <command>` */
function runInVolumes(given: readonly string[]): void {
  const mounts: [where: string, what: string][] = [['/app', root.replace(/\/$/, '')]]
  let cwd = root
  let at = 0
  for (; given[at]?.startsWith('-'); at += 1) {
    const option = given[at]
    if (['-v', '-u', '-w', '--user'].includes(option ?? '')) at += 1
    if (option === '-w') cwd = mounts.find(([where]) => where === given[at])?.[1] ?? cwd
    if (option !== '-v') continue
    const [what = '', where = ''] = given[at]?.split(':') ?? []
    const folder = isAbsolute(what) ? what : join(VOLUMES, what)
    if (!isAbsolute(what)) mkdirSync(folder, { recursive: true })
    mounts.push([where, folder])
  }
  runHere(given.slice(at + 1), mounts, cwd)
}

/** Runs a command of the container with the paths of its mounts on this machine. */
function runHere(words: readonly string[], mounts: readonly (readonly [string, string])[], cwd = root): void {
  const here = words.map((word) =>
    mounts.reduce(
      (text, [where, what]) => text.replaceAll(new RegExp(`(?<![\\w}])${where}(?![\\w-])`, 'g'), what),
      word,
    ),
  )
  // The image has the command line on its PATH.
  const [program = '', ...rest] =
    here[0] === 'farmgate' ? ['node', join(root, 'cli/main.ts'), ...here.slice(1)] : here
  const { status } = spawnSync(program, rest, { cwd, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
