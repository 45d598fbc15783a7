/** ./farmgate farm add, list and remove, with a stand-in for `docker`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { composeWith, readText } from '../compose.ts'
import { portOf } from '../port-of.ts'
import { callsOf, installedStack, run, shells } from './installed.ts'

/** The variables of a `.env`. */
const variablesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...readFileSync(join(folder, '.env'), 'utf8').matchAll(/^([A-Z]\w*)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )
const ports = ['GAME_PORT', 'QUERY_PORT', 'VNC_PORT', 'API_PORT']
/** A control API runs, the game has stopped, and there is no save yet. */
const engine = `case "$*" in
  'ps -aq'*'service=api') echo api ;;
  'ps -aq'*) echo game ;;
  'inspect --format {{.State.Running}}'*) echo true ;;
  'inspect --format {{.State.Status}} api') echo running ;;
  'inspect --format {{.State.Status}} game') test -e ../one-stops && echo exited || echo running ;;
  *'backups make')
    test ! -e ../backup-fails || { echo 'The disk is full.'; exit 1; }
    test ! -e ../no-save || { echo 'farmgate cannot make a backup: SAVES_DIR has no save of this farm'; exit 1; }
    ;;
esac`

describe.each(shells)('./farmgate farm with $name', ({ words }) => {
  const installed = () => installedStack(words, engine)

  test('add makes a second stack with its own ports, volumes, keys and project name, and the game files of the first read-only', async () => {
    const { cwd, farmgate } = await installed()
    writeFileSync(join(cwd, '.env'), 'API_KEY=key-of-the-first-farm\nAPI_PORT=9000\nUSER_ID=99\n')
    expect(await farmgate({}, 'farm', 'add', 'clover')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('cd clover && docker compose up -d'),
    })
    expect(await farmgate({}, 'farm', 'add', 'daisy')).toMatchObject({ code: 0 })
    const [first, clover, daisy] = ['.', 'clover', 'daisy'].map((name) => variablesOf(join(cwd, name)))
    expect(clover).toEqual({
      COMPOSE_PROJECT_NAME: 'farmgate-clover',
      GAME_PORT: '24643',
      QUERY_PORT: '27016',
      VNC_PORT: '5801',
      API_PORT: '9001',
      GAME_VOLUME: 'farmgate_game-data',
      GAME_ACCESS: 'ro',
      USER_ID: '99',
    })
    for (const port of ports) expect(daisy?.[port]).not.toBe(clover?.[port])

    const folder = join(cwd, 'clover')
    expect(readdirSync(folder).sort()).toEqual(['.env', 'compose.yaml', 'farmgate'])
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'compose.yaml'), 'utf8')).toBe(readText('compose.yaml'))
    const [one, other] = [composeWith(first ?? {}), composeWith(clover ?? {})]
    for (const service of ['game', 'ticket', 'prepare'] as const) {
      const mounts = other.services[service].volumes.filter((mount) => mount.startsWith('game-data:'))
      expect(mounts).toEqual([expect.stringMatching(/:ro$/)])
    }
    expect(other.volumes['game-data']?.name).toBe('farmgate_game-data')
    for (const name of ['platform-session', 'saves'])
      expect(other.volumes[name]?.name).not.toBe(one.volumes[name]?.name)
    expect(other.services.api.environment['API_KEY']).toBe('')
  })

  test('add refuses a name that is taken or is none, and changes nothing', async () => {
    const { cwd, farmgate } = await installed()
    mkdirSync(join(cwd, 'backups'))
    const before = readdirSync(cwd).sort()
    for (const [name, sentence] of [
      ['backups', 'is there already'],
      ['../out', 'has small letters'],
      ['', 'has small letters'],
    ] as const)
      expect(await farmgate({}, 'farm', 'add', name)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(sentence),
      })
    expect(readdirSync(cwd).filter((name) => !['.farmgate', 'calls'].includes(name))).toEqual(
      before.filter((name) => name !== 'calls'),
    )
  })

  test('with an edge, add registers the farm there and links it', async () => {
    const { cwd, farmgate } = await installed()
    const seen: unknown[] = []
    const answers = [
      { apiKey: 'key-for-clients', linkKey: 'key-of-the-link' },
      { farm: 'daisy', created: false },
    ]
    const edge = createServer(({ method, url, headers: { authorization } }, response) => {
      seen.push([method, url, authorization])
      response.end(JSON.stringify(answers.shift()))
    })
    const at = `http://127.0.0.1:${await portOf(edge)}`
    writeFileSync(join(cwd, '.env'), `EDGE_URL=${at}/farms/first,http://other.example\n`)
    expect(await farmgate({}, 'farm', 'add', 'clover')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('FLEET_KEY=… ./farmgate farm add clover'),
    })
    const fleet = { FLEET_KEY: 'key-of-the-fleet' }
    expect(await farmgate(fleet, 'farm', 'add', 'clover')).toMatchObject({ code: 0 })
    expect(seen).toEqual([['PUT', '/farms/clover', 'Bearer key-of-the-fleet']])
    expect(variablesOf(join(cwd, 'clover'))).toMatchObject({
      EDGE_URL: `${at}/farms/clover`,
      EDGE_LINK_KEY: 'key-of-the-link',
      API_KEY: 'key-for-clients',
    })
    expect(await farmgate(fleet, 'farm', 'add', 'daisy')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has a farm daisy already'),
    })
    expect(existsSync(join(cwd, 'daisy'))).toBe(false)
    expect(await farmgate({}, 'farm', 'add', 'daisy', '--no-edge')).toMatchObject({ code: 0 })
    expect(variablesOf(join(cwd, 'daisy'))).not.toHaveProperty('EDGE_URL')
  })

  test('list shows all farms with state and address', async () => {
    const { cwd, farmgate } = await installed()
    await farmgate({}, 'farm', 'add', 'clover')
    writeFileSync(join(cwd, '.env'), 'PUBLIC_URL=https://farm.example\n')
    writeFileSync(join(cwd, 'one-stops'), '')
    const { code, stdout } = await farmgate({}, 'farm', 'list')
    expect([
      code,
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ]).toEqual([
      0,
      [
        ['farmgate', 'running', 'https://farm.example'],
        ['clover', 'game: exited', 'http://localhost:8081'],
      ],
    ])
  })

  /** @param answer to the question for the name */
  const remove = async (
    { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
    name: string,
    answer: string,
  ) => run({ shell: words, cwd, env, input: answer }, join(cwd, 'farmgate'), 'farm', 'remove', name)

  test('remove asks for the name, makes a last backup, keeps the backups, and touches no volume of another farm', async () => {
    const stack = await installed()
    const { cwd, farmgate } = stack
    await farmgate({}, 'farm', 'add', 'clover')
    mkdirSync(join(cwd, 'clover/backups'))
    writeFileSync(join(cwd, 'clover/backups/one.zip'), 'a backup')
    const before = callsOf(cwd).length
    for (const answer of ['', 'yes\n', 'daisy\n'])
      expect(await remove(stack, 'clover', answer)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Nothing was removed.'),
      })
    expect(callsOf(cwd).slice(before)).toEqual(['compose version', 'compose version', 'compose version'])

    expect(await remove(stack, 'clover', 'clover\n')).toMatchObject({ code: 0 })
    expect(readdirSync(join(cwd, 'clover')).sort()).toEqual(['.env', 'backups'])
    expect(readdirSync(join(cwd, '.farmgate'))).not.toContain('lock')
    expect(readdirSync(join(cwd, 'clover/backups'))).toEqual(['one.zip'])
    const calls = callsOf(cwd)
    const removed = calls.flatMap((call) => /^volume rm (.*)$/.exec(call)?.[1] ?? [])
    expect(removed).toEqual(expect.arrayContaining(['farmgate-clover_saves', 'farmgate-clover_records']))
    for (const volume of removed) expect(volume).toMatch(/^farmgate-clover_(?!game-data)/)
    expect(calls.findIndex((call) => call.endsWith('backups make'))).toBeLessThan(
      calls.findIndex((call) => call.includes(' down')),
    )
    expect(calls.filter((call) => /down.*(-v|--volumes)/.test(call))).toEqual([])
    expect((await farmgate({}, 'farm', 'list')).stdout).not.toContain('clover')
  })

  test('remove keeps the saves that were not backed up', async () => {
    const stack = await installed()
    const { cwd, farmgate } = stack
    await farmgate({}, 'farm', 'add', 'clover')
    writeFileSync(join(cwd, 'no-save'), '')
    const { code, stdout } = await remove(stack, 'clover', 'clover\n')
    expect([code, stdout]).toEqual([0, expect.stringContaining('stay in the volume farmgate-clover_saves')])
    const calls = callsOf(cwd)
    expect(calls).toContain('volume rm farmgate-clover_records')
    expect(calls).not.toContain('volume rm farmgate-clover_saves')
  })

  test('remove does nothing where the last backup fails, and to a folder that is not a farm of this stack', async () => {
    const stack = await installed()
    const { cwd, farmgate } = stack
    await farmgate({}, 'farm', 'add', 'clover')
    writeFileSync(join(cwd, 'backup-fails'), '')
    expect(await remove(stack, 'clover', 'clover\n')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No backup of the save could be made: The disk is full.'),
    })
    mkdirSync(join(cwd, 'other'))
    for (const file of ['compose.yaml', 'farmgate', '.env']) writeFileSync(join(cwd, 'other', file), '')
    expect(await remove(stack, 'other', 'other\n')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no farm other of this stack.'),
    })
    expect(readdirSync(join(cwd, 'clover'))).toContain('compose.yaml')
    expect(callsOf(cwd).filter((call) => /\bdown\b|volume/.test(call))).toEqual([])
  })
})
