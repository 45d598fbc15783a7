/** Volumes from other programs: the existing sidecar as root, the previous version, and a game that runs as root. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cacheFolder } from '../../deploy/images/build.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { codeBlock } from '../project/code-blocks.ts'
import { buildTime, builtImages, describeImages } from './built.ts'
import { type Machine, startMachine } from './machine.ts'
import { fetchFrom } from './network.ts'
import { openScreen } from './screen.ts'
import { base, openStack, untilOnMachine } from './stack.ts'
import { account } from './stand-ins/account.ts'
import { startSteam, steamProxy } from './steam.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 256 * 1024 * 1024 })

/** @returns the last commit of the previous version @throws when the history does not reach it */
function commitBefore(): string {
  const since = git('log', '--format=%H', `-S"version": "${packageJson.version}"`, '--', 'package.json')
  const [first] = since.toString().trim().split('\n').slice(-1)
  return git('rev-parse', '--verify', `${first}~1`).toString().trim()
}

/** The sources of the previous version, with the packages of this checkout. @returns options of `podman run` */
function sourcesBefore(machine: Machine): readonly string[] {
  const folder = join(machine.folder, 'before')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  const sources = [
    'package.json',
    'bridges',
    'cli',
    'client',
    'handlers',
    'lib',
    'runtime',
    'services',
    'ticket',
  ]
  const archive = git('archive', '--format=tar', commitBefore(), ...sources)
  execFileSync('tar', ['--extract', '--directory', folder], { input: archive })
  // A package that this checkout no longer has; it drew the map of the simulated game.
  const gone = join(folder, 'bridges/node_modules/fast-png')
  mkdirSync(gone, { recursive: true })
  writeFileSync(join(gone, 'index.mjs'), 'export const encode = undefined')
  writeFileSync(join(gone, 'package.json'), '{"exports":"./index.mjs"}')
  return [`--volume=${folder}:/before:ro`, `--volume=${join(root, 'node_modules')}:/before/node_modules:ro`]
}

const key = 'a-key-of-the-control-api'
const env = {
  COMPOSE_PROJECT_NAME: 'farm',
  API_KEY: key,
  GAME_API_KEY: 'a-key-of-the-game',
  VNC_PASSWORD: 'screen',
  PLATFORM_PROXY: steamProxy,
}

/** The command of a `docker compose run`, as printed. */
const printed = (block: string) =>
  (/^docker compose run --rm .*?\b(?:api|prepare) (.+)$/.exec(block)?.[1] ?? '').split(' ')
const check = printed(codeBlock('docs/backups.md', 'docker compose run --rm --no-deps api'))
const chown = printed(codeBlock('docs/backups.md', 'docker compose run --rm prepare'))

describeImages('volumes', () => {
  let machine: Machine
  let images: { readonly api: string; readonly ticket: string }
  let steam: Awaited<ReturnType<typeof startSteam>>
  beforeAll(async () => {
    images = await builtImages()
    machine = await startMachine(cacheFolder)
    await machine.run('podman', 'network', 'create', 'steam')
    steam = await startSteam(machine, 'steam')
  }, buildTime)
  afterAll(() => machine?.close())

  const openWith = (more: Readonly<Record<string, string>>) => openStack(machine, images, { ...env, ...more })
  /** Steam is in the network of the project. */
  const connectSteam = (project: string) =>
    machine.run('podman', 'network', 'connect', '--alias=steam', `${project}_farm`, 'steam')
  const health = async (stack: Awaited<ReturnType<typeof openStack>>) =>
    (
      await stack.exec(
        'ticket',
        'node',
        '-e',
        "fetch('http://127.0.0.1:3001/health').then(async (answer) => console.log(await answer.text()))",
      )
    ).stdout

  /** Runs a script as root in a container with a volume. */
  const inVolume = (volume: string, script: string, ...options: readonly string[]) =>
    machine.run(
      'podman',
      'run',
      '--rm',
      `--cgroup-parent=/${machine.cgroups}`,
      `--volume=${volume}`,
      ...options,
      base,
      'sh',
      '-ec',
      script,
    )

  test('made by the existing sidecar as root: its session is used without a sign-in and kept, and the game is updated', async () => {
    // The sidecar runs as root, and everyone can read its files.
    const session = JSON.stringify({ username: account.name, refreshToken: steam.token, guardData: null })
    await inVolume(
      'server_steam-session:/data/steam-session',
      `mkdir /data/steam-session/${account.name}
       echo "$SESSION" >/data/steam-session/${account.name}/session.json
       mkdir /data/game/Content
       echo '{}' >/data/game/.download-manifest-413150`,
      '--volume=server_game-data:/data/game',
      `--env=SESSION=${session}`,
    )
    const stack = await openWith({ SESSION_VOLUME: 'server_steam-session', GAME_VOLUME: 'server_game-data' })
    await connectSteam('farm')

    await stack.up('ticket', { options: steam.trust })
    await untilOnMachine(async () => (await health(stack)).includes('"logged_in":true'))
    expect(await machine.run('podman', 'logs', 'ticket')).toContain('Took over the session')
    const file = `/data/platform-session/session-${account.name}.json`
    await untilOnMachine(
      async () => (await stack.exec('ticket', 'stat', '--format=%u %a', file)).stdout === '1000 600',
    )
    await machine.run('podman', 'rm', '--force', '--time=5', 'ticket')
    const download = stack.arguments('ticket', { options: steam.trust, command: ['download'] })
    const { code, stdout, stderr } = await machine.attempt('podman', 'run', '--rm', ...download)
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('Took over the session')])
  })

  test('made by the previous version: its named keys and its session work, without a sign-in', async () => {
    const project = { COMPOSE_PROJECT_NAME: 'old' }
    const stack = await openWith(project)
    const sources = sourcesBefore(machine)
    await connectSteam('old')
    await stack.up('api', { options: sources, command: ['node', '/before/runtime/node/serve.ts'] })
    await stack.healthy('api')
    const made = await stack.exec(
      'api',
      'node',
      '-e',
      `fetch('http://127.0.0.1:8080/keys', { method: 'POST', headers: { authorization: 'Bearer ${key}', 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Monitor', scopes: ['read'] }) }).then(async (answer) => console.log(await answer.text()))`,
    )
    const { key: named } = v.parse(v.object({ key: v.string() }), JSON.parse(made.stdout))
    const { exit, answer } = openScreen(
      machine,
      'podman',
      'run',
      '--rm',
      ...stack.arguments('ticket', {
        name: 'login',
        options: [...steam.trust, ...sources, '--entrypoint=["node","/before/ticket/main.ts"]'],
        command: ['login'],
      }),
    )
    await answer('User name', account.name)
    await answer('Password', account.password)
    await answer('Type the Steam Guard code from the mobile app', account.code)
    expect(await exit).toBe(0)
    await machine.run('podman', 'rm', '--force', '--time=5', 'api')

    await stack.up('api')
    await stack.healthy('api')
    const authorization = { authorization: `Bearer ${named}` }
    expect(
      await fetchFrom(machine, 'http://127.0.0.1:8080/keys/own', [process.execPath], authorization),
    ).toMatch(/^200 .*"Monitor"/)
    await stack.up('ticket', { options: steam.trust })
    await untilOnMachine(async () => (await health(stack)).includes('"logged_in":true'))
  })

  test('with backups in the volume of the records: they are in BACKUPS_FOLDER after `prepare`, and belong to the control API', async () => {
    const stack = await openWith({ COMPOSE_PROJECT_NAME: 'moved' })
    await inVolume(
      'moved_records:/records',
      'mkdir /records/backups && echo a-backup >/records/backups/one.zip && touch -d @1700000000 /records/backups/one.zip && chmod -R go= /records && chown -R 1000 /records',
    )
    await machine.run('podman', 'run', '--rm', ...stack.arguments('prepare'))
    const moved = join(machine.folder, 'backups/one.zip')
    const { mode, uid, mtimeMs } = statSync(moved)
    expect([readFileSync(moved, 'utf8'), mode & 0o777, uid, mtimeMs]).toEqual([
      'a-backup\n',
      0o600,
      1000,
      1_700_000_000_000,
    ])
    expect(
      await inVolume('moved_records:/records', 'ls /records/backups; stat --format="%u %a" /records'),
    ).toBe('1000 700')
  })

  test('of an earlier user are changed over by `prepare` once, also after it was killed, and nothing of another user is', async () => {
    const earlier = await openWith({ COMPOSE_PROJECT_NAME: 'user', SAVES_ACCESS: 'rw' })
    await machine.run('podman', 'run', '--rm', ...earlier.arguments('prepare'))
    const volumes = ['records', 'platform-session', 'game-data', 'saves']
    const mounts = volumes.map((name) => `--volume=user_${name}:/user/${name}`)
    const inAll = (script: string) => inVolume(`${machine.folder}:/machine`, script, ...mounts)
    await inAll(
      `for folder in ${volumes.join(' ')}; do mkdir /user/$folder/in && touch /user/$folder/in/file; done
       ln -s /machine/other /user/game-data/link
       touch /machine/other /user/saves/foreign
       chown -R 1000:1000 /user/*/in && chown -h 1000:1000 /machine/other /user/game-data/link && chown 4321:4321 /user/saves/foreign`,
    )
    const env = { COMPOSE_PROJECT_NAME: 'user', SAVES_ACCESS: 'rw', USER_ID: '99', GROUP_ID: '100' }
    const now = await openWith(env)
    const owners = () =>
      inAll(
        `cd /user && stat -c '%u:%g %n' ${volumes.map((name) => `${name} ${name}/in/file`).join(' ')} game-data/link saves/foreign /machine/other`,
      )
    const changed = [
      ...volumes.flatMap((name) => [`99:100 ${name}`, `99:100 ${name}/in/file`]),
      '99:100 game-data/link',
      '4321:4321 saves/foreign',
      '1000:1000 /machine/other',
    ].join('\n')
    // As a kill leaves them: some are changed, and the records, which come last, are not.
    await inAll('chown -R 99:100 /user/game-data/in /user/records/in')
    await machine.run('podman', 'run', '--rm', ...now.arguments('prepare'))
    expect(await owners()).toBe(changed)
    await inAll('chown 1000:1000 /user/game-data/in/file')
    await machine.run('podman', 'run', '--rm', ...now.arguments('prepare'))
    expect(await owners()).toContain('1000:1000 game-data/in/file')
  })

  test('a folder that still cannot be written is a sentence with the numbers of both users', async () => {
    const stack = await openWith({
      COMPOSE_PROJECT_NAME: 'owned',
      MODS_ACCESS: 'rw',
      USER_ID: '99',
      GROUP_ID: '100',
    })
    const mods = join(machine.folder, 'mods')
    await machine.run('chown', '4321:4321', mods)
    const { code, stdout } = await machine.attempt('podman', 'run', '--rm', ...stack.arguments('prepare'))
    await machine.run('chown', '0:0', mods)
    expect([code, stdout]).toEqual([
      0,
      '/data/mods belongs to user 4321:4321, and user 99:100 cannot write it. Set USER_ID and GROUP_ID to the first, or change the folder: docker compose run --rm prepare chown -R 99:100 /data/mods',
    ])
  })

  test('with USER_ID and GROUP_ID, ticket service and control API run as that user, and the game gets both', async () => {
    const stack = await openWith({ COMPOSE_PROJECT_NAME: 'numbers', USER_ID: '99', GROUP_ID: '100' })
    // That of another test.
    await machine.run('podman', 'rm', '--force', '--ignore', '--time=5', 'api')
    await stack.up('api')
    await stack.healthy('api')
    expect((await stack.exec('api', 'stat', '--format=%u:%g', '/data/farmgate/records.db')).stdout).toBe(
      '99:100',
    )
    await machine.run('podman', 'rm', '--force', '--time=5', 'api')
    const printed = `--entrypoint=["sh","-c","echo $(id -u):$(id -g)"]`
    const ids = stack.arguments('ticket', { name: 'ids', options: [printed], command: [] })
    expect(await machine.run('podman', 'run', '--rm', ...ids)).toBe('99:100')
    expect(stack.arguments('game')).toEqual(
      expect.arrayContaining(['--env=USER_ID=99', '--env=GROUP_ID=100']),
    )
  })

  test('with saves of other users: the documented check of the configuration refuses them, and the documented chown fixes that', async () => {
    const stack = await openWith({ COMPOSE_PROJECT_NAME: 'saved', SAVES_ACCESS: 'rw' })
    const volume = 'saved_saves:/saves'
    const once = (name: 'api' | 'prepare', command: readonly string[]) =>
      machine.attempt('podman', 'run', '--rm', ...stack.arguments(name, { name: 'once', command }))
    await machine.run('podman', 'run', '--rm', ...stack.arguments('prepare'))
    // One save was copied there by another user than that of the game.
    await inVolume(
      volume,
      'mkdir -p /saves/Saves/Clover_1 && touch /saves/Saves/Clover_1/Clover_1 && chmod -R go= /saves && chown -R 4321 /saves/Saves/Clover_1',
    )
    const refused = await once('api', check)
    expect(refused.code).toBe(78)
    expect(refused.stderr).toMatch(/^SAVES_DIR: cannot be read: give the user of this process the right/m)
    expect(await once('prepare', chown)).toMatchObject({ code: 0 })
    expect(await once('api', check)).toMatchObject({ code: 0, stdout: 'the configuration is in order' })
    expect(
      await inVolume(volume, 'stat --format=%u /saves /saves/Saves /saves/Saves/Clover_1/Clover_1'),
    ).toBe('1000\n1000\n1000')
  })
})
