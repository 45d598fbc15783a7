/** deploy/install.sh and the commands of ./farmgate that need no engine, under every shell that is here. */
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { problemOf } from '../../handlers/problem.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { readText } from '../compose.ts'
import { isInstalled } from '../left-out.ts'
import { newFolder } from '../new-folder.ts'
import { portOf } from '../port-of.ts'
import { eventually } from '../wait.ts'
import { callsOf, dockerOf, installedStack, run, shells } from './installed.ts'
import { feedServer, makeLatest, makeRelease } from './releases.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { version } = packageJson

/** A feed with a newest release. @returns the folder, and the variable that names it */
async function openFeed(newest: string) {
  const feed = newFolder()
  const seen: string[] = []
  makeRelease(feed, newest)
  makeLatest(feed, newest)
  const port = await portOf(feedServer(feed, seen))
  return { feed, seen, env: { FARMGATE_RELEASES: `http://127.0.0.1:${port}` } }
}

const scripts = ['deploy/install.sh', 'deploy/release.sh', 'deploy/stack/farmgate']

const shellcheck = { name: 'shellcheck', debianPackage: 'shellcheck' }

describe.runIf(isInstalled('the check of the shell scripts', shellcheck))('shellcheck', () => {
  test.each(scripts)('finds nothing in %s', (script) => {
    const { stdout } = spawnSync('shellcheck', ['--shell=sh', script], { cwd: root, encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})

describe.each(shells)('with $name', ({ words }) => {
  const install = join(root, 'deploy/install.sh')

  test('makes a folder with compose.yaml, an empty commented .env and farmgate, and starts nothing', async () => {
    const cwd = newFolder()
    const { env } = await openFeed('0.4.0')
    const docker = dockerOf(cwd, 'test "$2" != version || echo 2.30.1')
    const { code, stdout } = await run({ shell: words, cwd, env: { ...docker, ...env } }, install)
    expect([code, stdout]).toEqual([0, expect.stringContaining('cd ./farmgate && docker compose up -d')])
    const folder = join(cwd, 'farmgate')
    expect(readdirSync(folder).sort()).toEqual(['.env', 'compose.yaml', 'farmgate'])
    expect(readFileSync(join(folder, 'compose.yaml'), 'utf8')).toContain('FARMGATE_VERSION:-0.4.0}')
    expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^(#.*\n)+$/)
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'farmgate')).mode & 0o111).not.toBe(0)
    expect(callsOf(cwd).filter((call) => !call.startsWith('compose version'))).toEqual([])
  })

  test('starts the stack with --start', async () => {
    const cwd = newFolder()
    const env = dockerOf(cwd, 'test "$2" != up || pwd >started')
    expect((await run({ shell: words, cwd, env }, install, '--from', root, '--start', 'my farm')).code).toBe(
      0,
    )
    expect(existsSync(join(cwd, 'my farm/started'))).toBe(true)
  })

  test('piped into a shell that ends in the middle, it has done nothing', async () => {
    const text = readText('deploy/install.sh').trimEnd()
    const cwd = newFolder()
    for (let length = 1; length < text.length; length += length < text.length - 40 ? 97 : 1)
      await run({ shell: words, cwd, input: text.slice(0, length) }, '-s', '--', '--from', root)
    expect(readdirSync(cwd)).toEqual([])
    expect((await run({ shell: words, cwd, input: text }, '-s', '--', '--from', root)).code).toBe(0)
    expect(readdirSync(cwd)).toEqual(['farmgate'])
  }, 300_000)

  test('never overwrites what is there: a second run says what it would change and stops, and --force keeps a copy', async () => {
    const cwd = newFolder()
    const again = (...options: readonly string[]) =>
      run({ shell: words, cwd }, install, '--from', root, ...options)
    expect((await again()).code).toBe(0)
    expect(await again()).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to change') })
    const folder = join(cwd, 'farmgate')
    for (const file of ['compose.yaml', '.env']) writeFileSync(join(folder, file), 'mine\n')
    expect(await again()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('replace ./farmgate/compose.yaml'),
    })
    expect(readFileSync(join(folder, 'compose.yaml'), 'utf8')).toBe('mine\n')
    expect(await again('--force', '--dry-run')).toMatchObject({ code: 0 })
    expect(readdirSync(folder)).toHaveLength(3)

    expect((await again('--force')).code).toBe(0)
    expect(readFileSync(join(folder, 'compose.yaml'), 'utf8')).toBe(readText('compose.yaml'))
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('mine\n')
    const [copy = ''] = readdirSync(folder).filter((one) => one.startsWith('compose.yaml.'))
    expect(readFileSync(join(folder, copy), 'utf8')).toBe('mine\n')
    rmSync(join(folder, 'farmgate'))
    expect(await again()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('make ./farmgate/farmgate'),
    })
  })

  test('--dry-run says everything that it would do, and does nothing', async () => {
    const cwd = newFolder()
    const { code, stdout } = await run({ shell: words, cwd }, install, '--from', root, '--dry-run', '--start')
    expect([code, stdout.match(/(?<=make ).*|start the stack/g)]).toEqual([
      0,
      ['./farmgate/compose.yaml', './farmgate/.env', './farmgate/farmgate', 'start the stack'],
    ])
    expect(readdirSync(cwd)).toEqual([])
  })

  test('--systemd --dry-run names the units and the npm package, and asks for no Docker', async () => {
    const cwd = newFolder()
    const { code, stdout, stderr } = await run({ shell: words, cwd }, install, '--systemd', '--dry-run')
    const named = [...stdout.matchAll(/farmgate[\w-]*@?\.service/g)].join(' ').split(' ')
    expect(named.sort()).toEqual(readdirSync(join(root, 'deploy/systemd')).sort())
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('npm package: farmgate,'), ''])
  })

  test.each(['compose.yaml', 'farmgate'])('refuses a %s that differs from SHA256SUMS', async (file) => {
    const cwd = newFolder()
    const { feed, env } = await openFeed('0.4.0')
    writeFileSync(join(feed, 'download/v0.4.0', file), 'other\n', { flag: 'a' })
    const { code, stderr } = await run({ shell: words, cwd, env }, install)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`The checksum of ${file} of release 0.4.0 is wrong`),
    ])
    expect(existsSync(join(cwd, 'farmgate'))).toBe(false)
  })

  test('says in one line what is missing, with the cure: Compose, and one that is too old', async () => {
    const cwd = newFolder()
    const missing = async (script: string) => {
      const env = dockerOf(cwd, script)
      const { stderr } = await run({ shell: words, cwd, env }, install, '--from', root, '--dry-run')
      rmSync(join(cwd, 'bin'), { recursive: true })
      return stderr.split('\n').filter((line) => /Compose/.test(line))
    }
    expect(await missing('test "$2" = version || exit 1; echo 2.23.3')).toEqual([
      expect.stringMatching(/^Missing: Compose 2\.24: this is 2\.23\.3\. Update Docker: https:/),
    ])
    expect(await missing('echo 2.24.0')).toEqual([])
    expect(await missing('echo 5.0.1')).toEqual([])
    // No podman either.
    const path = join(cwd, 'few')
    mkdirSync(path)
    for (const one of [
      'sh',
      'awk',
      'sed',
      'cut',
      'df',
      'cmp',
      'cp',
      'mktemp',
      'rm',
      'cat',
      'date',
      'head',
      ...words.slice(0, 1),
    ])
      symlinkSync(
        spawnSync('sh', ['-c', `command -v ${one}`], { encoding: 'utf8' }).stdout.trim(),
        join(path, one),
      )
    const bare = { shell: words, cwd, env: { PATH: path } }
    expect((await run(bare, install, '--from', root, '--dry-run')).stderr).toMatch(
      /^Missing: Docker with Compose\. Install it: https:/m,
    )
  })

  test('says in one line that the disk, the memory or the clock is wrong, with the cure', async () => {
    const cwd = newFolder()
    const { env } = await openFeed('0.4.0')
    const docker = dockerOf(cwd, 'echo 2.30.1')
    const bin = join(cwd, 'bin')
    const real = (program: string) =>
      spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim()
    const wrong = {
      df: 'printf "Filesystem 1024-blocks Used Available Capacity Mounted\\n/dev/x 9 9 3145728 9%% /\\n"',
      date: `exec ${real('date')} -d @1700000000 "$@"`,
      awk: `case "$*" in
        */proc/meminfo) echo 'MemTotal: 1000000 kB' | ${real('awk')} "$1" ;;
        *) exec ${real('awk')} "$@" ;;
      esac`,
    }
    for (const [program, script] of Object.entries(wrong))
      writeFileSync(join(bin, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const { stderr } = await run({ shell: words, cwd, env: { ...docker, ...env } }, install, '--dry-run')
    expect(stderr).toMatch(/^Missing: disk space: 3 GB are free, and the game needs 8\. Choose /m)
    expect(stderr).toMatch(
      /^Missing: memory: this machine has 1000 MB, and game and farmgate need 2 GB\. Add /m,
    )
    expect(stderr).toMatch(/^Missing: the right time: this clock is -\d+ s off\. Set it: timedatectl /m)
  })

  test('a feed that does not answer, or names no version, is a sentence, and nothing is made', async () => {
    const cwd = newFolder()
    const { feed, env } = await openFeed('0.4.0')
    const attempt = async (more: Readonly<Record<string, string>>) => {
      const { code, stderr } = await run({ shell: words, cwd, env: { ...env, ...more } }, install)
      expect([code, existsSync(join(cwd, 'farmgate'))]).toEqual([1, false])
      return stderr
    }
    expect(await attempt({ FARMGATE_RELEASES: 'http://127.0.0.1:9' })).toContain(
      'could not be found at http://127.0.0.1:9',
    )
    writeFileSync(join(feed, 'latest/download/CHANGELOG.md'), '<html>')
    expect(await attempt({})).toContain('names no version')
  })
})

describe.each(shells)('./farmgate with $name', ({ words }) => {
  const installed = (script = '') => installedStack(words, script)

  test('passes status, invite, doctor, backup and every other word to farmgate in the container, with its exit code', async () => {
    const { cwd, farmgate } = await installed('test "$2" = version || exit 4')
    for (const given of [['status'], ['invite'], ['doctor'], ['backup'], ['saves', 'load', 'a farm']])
      expect((await farmgate({}, ...given)).code).toBe(4)
    const before = 'compose exec -T api farmgate'
    expect(callsOf(cwd).filter((call) => !call.includes('version'))).toEqual([
      `${before} status`,
      `${before} invite`,
      `${before} doctor`,
      `${before} backups make`,
      `${before} saves load a farm`,
    ])
  })

  test('logs shows the last lines of all services or one, and new ones', async () => {
    const { cwd, farmgate } = await installed('test "$2" = version || exit 4')
    expect((await farmgate({}, 'logs')).code).toBe(4)
    expect((await farmgate({}, 'logs', 'ticket')).code).toBe(4)
    expect(callsOf(cwd).filter((call) => !call.includes('version'))).toEqual([
      'compose logs --tail 100 -f',
      'compose logs --tail 100 -f ticket',
    ])
  })

  test('works with podman compose where there is no docker compose', async () => {
    const { cwd, farmgate } = await installed('exit 1')
    writeFileSync(join(cwd, 'bin/podman'), `#!/bin/sh\necho "podman $*" >>'${cwd}/calls'\n`, { mode: 0o755 })
    expect((await farmgate({}, 'status')).code).toBe(0)
    expect(callsOf(cwd).at(-1)).toBe('podman compose exec -T api farmgate status')
  })

  test('update --check exits 10 when a newer release is there, and 0 when not, and asks for nothing but its CHANGELOG.md', async () => {
    const { cwd, farmgate } = await installed()
    const { seen, env } = await openFeed('0.10.0')
    expect(await farmgate(env, 'update', '--check')).toMatchObject({
      code: 10,
      stdout: expect.stringContaining(
        `farmgate 0.10.0 is there; this is ${version}. Update: ./farmgate update`,
      ),
    })
    expect(seen).toEqual(['/latest/download/CHANGELOG.md'])
    for (const old of ['0.2.9', version]) {
      const other = await openFeed(old)
      expect([old, (await farmgate(other.env, 'update', '--check')).code]).toEqual([old, 0])
    }
    expect(callsOf(cwd)).toEqual([])
  })

  test('update shows the versions, the headings of the changes between and what is restarted, and fails where it cannot ask', async () => {
    const { cwd, farmgate } = await installed()
    const { env } = await openFeed('0.4.0')
    const { code, stdout, stderr } = await farmgate(env, 'update')
    expect(code).toBe(1)
    expect(stdout).toContain(`From ${version} to 0.4.0`)
    expect(stdout).toContain('\n  0.4.0 (2026-12-01)\n  More hay\n')
    expect(stdout).not.toContain(`\n  ${version}`)
    expect(stdout).toContain('The control API and the ticket service are restarted. The game is not.')
    expect(stderr).toContain('./farmgate update --yes')
    expect(callsOf(cwd)).toEqual(['compose version'])
  })

  test.each(['compose.yaml', 'install.sh', 'farmgate', 'CHANGELOG.md', 'images.txt'])(
    'update refuses a %s that differs from SHA256SUMS before a container is stopped',
    async (file) => {
      const { cwd, farmgate } = await installed()
      const { feed, env } = await openFeed('0.4.0')
      writeFileSync(join(feed, 'download/v0.4.0', file), 'other\n', { flag: 'a' })
      const { code, stderr } = await farmgate(env, 'update', '--yes')
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`The checksum of ${file} of release 0.4.0 is wrong`),
      ])
      expect(callsOf(cwd)).toEqual(['compose version'])
      expect(readFileSync(join(cwd, 'compose.yaml'), 'utf8')).toBe(readText('compose.yaml'))
    },
  )

  test('update --to an older release than the records is refused with that sentence', async () => {
    const { farmgate } = await installed()
    expect(await farmgate({}, 'update', '--to', '0.2.0', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('An older farmgate cannot open newer records'),
    })
  })

  test('a feed that is off, a version that is none, and FARMGATE_VERSION in .env are sentences', async () => {
    const { cwd, farmgate } = await installed()
    const { env } = await openFeed('0.4.0')
    const failed = async (more: Readonly<Record<string, string>>, ...args: readonly string[]) => {
      const { code, stderr } = await farmgate(more, 'update', ...args)
      expect(code).toBe(1)
      return stderr
    }
    expect(await failed({ FARMGATE_RELEASES: 'http://127.0.0.1:9' })).toContain('could not be found')
    expect(await failed(env, '--to', '../../x')).toContain('no version')
    expect(await failed(env, '--to', '0.9.9', '--yes')).toContain(
      'SHA256SUMS of release 0.9.9 could not be downloaded',
    )
    writeFileSync(join(cwd, '.env'), `FARMGATE_VERSION=${version}\n`)
    expect(await failed(env, '--yes')).toContain(`FARMGATE_VERSION=${version} in .env holds this version`)
  })

  test('a second update at once exits 1 and stops no container, and after a kill the next one begins', async () => {
    const { cwd, farmgate } = await installed('test "$1" != pull || { touch pulls; exec sleep 300; }')
    const { env } = await openFeed('0.4.0')
    // The first one pulls, and pulls on.
    const first = spawn(words[0] ?? '', [...words.slice(1), join(cwd, 'farmgate'), 'update', '--yes'], {
      cwd,
      env: { ...process.env, ...env, PATH: [join(cwd, 'bin'), process.env['PATH']].join(delimiter) },
      stdio: 'ignore',
      detached: true,
    })
    const killed = new Promise((resolve) => first.once('close', resolve))
    const kill = async () => {
      if (first.exitCode === null && first.signalCode === null) process.kill(-Number(first.pid), 'SIGKILL')
      await killed
    }
    onTestFinished(kill)
    await eventually(() => existsSync(join(cwd, 'pulls')))
    for (const command of ['update', 'rollback', 'uninstall'])
      expect(await farmgate(env, command, '--yes')).toMatchObject({
        code: 1,
        stderr: `Another ./farmgate command is running (process ${first.pid}).\n`,
      })
    await kill()
    expect(callsOf(cwd).filter((call) => /\b(stop|up|down)\b/.test(call))).toEqual([])
    writeFileSync(join(cwd, 'bin/docker'), '#!/bin/sh\ntest "$1" != pull\n')
    expect(await farmgate(env, 'update', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('could not be pulled'),
    })
  })

  test('update waits for the end of a night, and stops no container before the save is backed up', async () => {
    const night = problemOf({ kind: 'save_in_progress' }).message
    const { cwd, farmgate } = await installed(`case "$*" in
      'image inspect'*) echo sha256:1 ;;
      'ps -aq'*) echo 1 ;;
      inspect*Running*) echo true ;;
      *'backups make') test -e night && { echo 'The disk is full.'; exit 1; }; touch night; echo '${night}'; exit 1 ;;
    esac`)
    const { env } = await openFeed('0.4.0')
    const { code, stdout, stderr } = await farmgate(env, 'update', '--yes')
    expect([code, stderr]).toEqual([1, 'No backup of the save could be made: The disk is full.\n'])
    expect(stdout).toContain('The game is saving. Waiting until it has finished.')
    expect(callsOf(cwd).filter((call) => /\b(stop|up|down)\b/.test(call))).toEqual([])
  })

  test('update --check changes nothing, also with an older release whose records are kept', async () => {
    const { cwd, farmgate } = await installed()
    const kept = join(cwd, '.farmgate/kept/0.2.0')
    mkdirSync(kept, { recursive: true })
    writeFileSync(join(kept, 'records.tar'), '')
    expect(await farmgate({}, 'update', '--check', '--yes', '--to', '0.2.0')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('up to date'),
    })
    expect(callsOf(cwd)).toEqual([])
  })

  test('uninstall without an answer does nothing', async () => {
    const { cwd, farmgate } = await installed()
    expect((await farmgate({}, 'uninstall')).code).toBe(1)
    expect(callsOf(cwd)).toEqual(['compose version'])
  })

  test('uninstall removes the containers, and no volume, .env or backup', async () => {
    const { cwd, farmgate } = await installed()
    mkdirSync(join(cwd, 'backups'))
    expect((await farmgate({}, 'uninstall', '--yes')).code).toBe(0)
    expect(callsOf(cwd)).toEqual(['compose version', 'compose --profile https --profile host down'])
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(['.env', 'backups', 'compose.yaml']))
  })
})
