/** The files of `serve --farms <folder>`. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { VariableTraits } from '../../../lib/environment.ts'
import { readConfig } from '../../../runtime/node/config.ts'
import { readFarms } from '../../../runtime/node/farms-folder.ts'
import { variables } from '../../../runtime/node/variables.ts'
import { newFolder } from '../../new-folder.ts'
import { programs } from '../../programs.ts'
import { type FarmgateProcess, launch, serve } from './farmgate-process.ts'

let folder = ''
beforeEach(() => {
  folder = newFolder()
})
const file = (name: string) => join(folder, `${name}.env`)
const key = 'a-key-of-the-farm-itself'
const write = (name: string, ...lines: readonly string[]) => writeFileSync(file(name), lines.join('\n'))

const read = (env: Readonly<Record<string, string>> = {}) =>
  readFarms(
    folder,
    { env, readFile: (path) => readFileSync(path, 'utf8'), isTerminal: false, newKey: () => 'new' },
    async (one) => readConfig(one),
  )
const problems = async (env: Readonly<Record<string, string>> = {}) => {
  const reading = await read(env)
  return 'problems' in reading
    ? reading.problems.map(({ variable, problem }) => `${variable}: ${problem}`)
    : []
}
const configs = async (env: Readonly<Record<string, string>> = {}) => {
  const reading = await read(env)
  return 'farms' in reading ? Object.fromEntries(reading.farms.map(({ name, config }) => [name, config])) : {}
}

test('each file is a farm with its own folder of records; variables of the process are defaults, and those of the file win', async () => {
  write('clover', `API_KEY='${key}'`, 'API_PORT=8101')
  write('robin', `API_KEY=${key}2`, 'API_PORT=8102', 'LOG_LEVEL=debug', 'DATA_DIR=/elsewhere/robin')
  writeFileSync(join(folder, 'README'), '')
  writeFileSync(join(folder, '.clover.env'), 'not read')
  expect(await configs({ LOG_LEVEL: 'warn', DATA_DIR: '/data', RATE_LIMIT_READS: '7' })).toMatchObject({
    clover: {
      API_KEY: key,
      API_PORT: 8101,
      LOG_LEVEL: 'warn',
      DATA_DIR: '/data/clover',
      RATE_LIMIT_READS: 7,
    },
    robin: { API_KEY: `${key}2`, API_PORT: 8102, LOG_LEVEL: 'debug', DATA_DIR: '/elsewhere/robin' },
  })
  expect(Object.keys(await configs())).toEqual(['clover', 'robin'])
  expect((await configs())['clover']?.DATA_DIR).toBe('data/clover')
})

test('a secret of the process is never that of a farm, nor is its folder of keys', async () => {
  write('clover', 'API_PORT=8101')
  writeFileSync(join(folder, 'api_key'), key)
  const unset = expect.stringMatching(/^.*clover\.env: API_KEY: is not set/)
  for (const env of [{ API_KEY: key }, { API_KEY_FILE: join(folder, 'api_key') }, { KEYS_DIR: folder }])
    expect(await problems(env)).toEqual([unset])
  write('clover', `API_KEY=${key}`)
  const secrets = {
    GAME_API_URL: 'http://127.0.0.1:1',
    EDGE_URL: 'https://edge.example',
    EDGE_LINK_KEY: 'link',
  }
  const { bridge, EDGE_URL } = (await configs(secrets))['clover'] ?? {}
  expect({ bridge, EDGE_URL }).toEqual({ bridge: 'simulated', EDGE_URL: undefined })
})

test('two farms with one port, folder, file or address are refused with the names of both files, without the value of a secret', async () => {
  mkdirSync(join(folder, 'saves'))
  symlinkSync(join(folder, 'saves'), join(folder, 'link'))
  const common = ['API_PORT=8101', 'DATA_DIR=/data/one', 'SETTINGS_PATH=/settings/server-settings.json']
  const game = ['GAME_API_URL=http://127.0.0.1:8201', 'GAME_HOST=docker', 'GAME_CONTAINER=game']
  write('clover', `API_KEY=${key}`, ...common, ...game, `SAVES_DIR=${folder}/saves`)
  write('robin', `API_KEY=${key}`, ...common, ...game, `SAVES_DIR=${folder}/link/`)
  expect(await problems()).toEqual(
    ['SETTINGS_PATH', 'DATA_DIR', 'SAVES_DIR', 'API_KEY', 'API_PORT', 'GAME_API_URL', 'GAME_CONTAINER'].map(
      (variable) =>
        `${file('robin')}: ${variable}: is that of ${file('clover')} too; each farm needs its own`,
    ),
  )
  write('clover', `API_KEY=${key}`, 'API_PORT=0')
  write('robin', `API_KEY=${key}2`, 'API_PORT=0')
  expect(await problems()).toEqual([])
  write('clover', `API_KEY=${key}`, 'API_HOST=127.0.0.2')
  write('robin', `API_KEY=${key}2`, 'API_HOST=127.0.0.3')
  expect(await problems()).toEqual([])
})

test("a farm's folder or file in any variable of another farm is refused, nested and through links, also before it exists", async () => {
  const [data, link] = [join(folder, 'data'), join(folder, 'link')]
  symlinkSync(data, link)
  write('clover', `API_KEY=${key}`, 'API_PORT=0', `DATA_DIR=${data}/one`, `SAVES_DIR=${data}/saves/clover`)
  const shared = {
    BACKUP_DIR: [`${link}/one/backups`, 'is within DATA_DIR'],
    MODS_DIR: [`${data}/saves`, 'contains SAVES_DIR'],
    MODS_OFF_DIR: [`${data}/one`, 'is DATA_DIR'],
    SAVES_DIR: [`${folder}`, 'contains SAVES_DIR'],
    GAME_LOG: [`${data}/one/game.log`, 'is within DATA_DIR'],
  }
  for (const [variable, [path, relation]] of Object.entries(shared)) {
    write('robin', `API_KEY=${key}2`, 'API_PORT=0', `DATA_DIR=${folder}/robin`, `${variable}=${path}`)
    expect(await problems()).toEqual([
      `${file('robin')}: ${variable}: ${relation} of ${file('clover')}; each farm needs its own`,
    ])
  }
  // The folder of disabled mods has a default.
  write('clover', `API_KEY=${key}`, 'API_PORT=0', `DATA_DIR=${data}/one`, `MODS_DIR=${folder}/mods`)
  write('robin', `API_KEY=${key}2`, 'API_PORT=0', `DATA_DIR=${folder}/robin`, `MODS_DIR=${folder}/mods.off`)
  expect(await problems()).toEqual([
    `${file('robin')}: MODS_DIR: is MODS_OFF_DIR of ${file('clover')}; each farm needs its own`,
  ])
  write('clover', `API_KEY=${key}`, 'API_PORT=0', `DATA_DIR=${data}/one`, `SAVES_DIR=${data}/saves/clover`)
  write(
    'robin',
    `API_KEY=${key}2`,
    'API_PORT=0',
    `DATA_DIR=${data}/one-more`,
    `SAVES_DIR=${data}/saves/robin`,
  )
  expect(await problems()).toEqual([])
})

test('a prefix of a bucket within that of another farm is refused, without the address; two prefixes of one bucket are not', async () => {
  const credentials = ['BACKUP_S3_ACCESS_KEY_ID=id', 'BACKUP_S3_SECRET_ACCESS_KEY=one-account-for-all-farms']
  const copies = (url: string) => ['API_PORT=0', `BACKUP_S3_URL=${url}`, ...credentials]
  write('clover', `API_KEY=${key}`, ...copies('https://s3.example/bucket/farms/clover'))
  for (const [url, relation] of [
    ['https://s3.example/bucket/farms/clover/', 'is that'],
    ['HTTPS://S3.example:443/bucket/farms/clover/old', 'is within BACKUP_S3_URL'],
    ['https://s3.example/bucket/farms', 'contains BACKUP_S3_URL'],
  ] as const) {
    write('robin', `API_KEY=${key}2`, ...copies(url))
    const [problem, ...others] = await problems()
    expect(others).toEqual([])
    expect(problem).toContain(`${file('robin')}: BACKUP_S3_URL: ${relation} of ${file('clover')}`)
    expect(problem).not.toContain('s3.example')
  }
  write('robin', `API_KEY=${key}2`, ...copies('https://s3.example/bucket/farms/clover-two'))
  expect(await problems()).toEqual([])
})

test('each variable that names a folder, a file or a key is compared, unless it is an account that farms may share', () => {
  const accounts = ['BACKUP_S3_ACCESS_KEY_ID', 'BACKUP_S3_SECRET_ACCESS_KEY', 'PELICAN_KEY']
  const traits: Readonly<Record<string, VariableTraits>> = variables.traits
  const named = (pattern: RegExp) =>
    Object.keys(variables.schema.entries).filter((name) => pattern.test(name) && !accounts.includes(name))
  const own = (kind: string) => Object.keys(traits).filter((name) => traits[name]?.own === kind)
  expect(own('place').sort()).toEqual([...named(/_DIR$|^SETTINGS_PATH$|^GAME_LOG$/), 'BACKUP_S3_URL'].sort())
  const keys = named(/_KEY(_|$)/).filter((name) => traits[name]?.secret)
  expect(own('key').sort()).toEqual(keys.sort())
})

test('one key for two farms is refused, as the key of the API, of the game, of the link or of two of them', async () => {
  const edge = ['API_PORT=0', 'EDGE_URL=https://edge.example/farms/clover']
  const gameOfClover = ['GAME_API_URL=http://127.0.0.1:8201', `GAME_API_KEY=${key}-game`]
  write('clover', `API_KEY=${key}`, `EDGE_LINK_KEY=${key}-link`, ...gameOfClover, ...edge)
  for (const [own, link, game, variable, theirs] of [
    [key, 'another', 'third', 'API_KEY', 'is that'],
    [`${key}2`, `${key}-link`, 'third', 'EDGE_LINK_KEY', 'is that'],
    [`${key}2`, 'another', `${key}-game`, 'GAME_API_KEY', 'is that'],
    [`${key}-link`, 'another', 'third', 'API_KEY', 'is EDGE_LINK_KEY'],
    [`${key}2`, 'another', key, 'GAME_API_KEY', 'is API_KEY'],
  ] as const) {
    write(
      'robin',
      `API_KEY=${own}`,
      `EDGE_LINK_KEY=${link}`,
      'API_PORT=0',
      'EDGE_URL=https://edge.example/farms/robin',
      'GAME_API_URL=http://127.0.0.1:8202',
      `GAME_API_KEY=${game}`,
    )
    const [problem, ...others] = await problems()
    expect(others).toEqual([])
    expect(problem).toContain(`${file('robin')}: ${variable}: ${theirs} of ${file('clover')}`)
    expect(problem).not.toContain(key)
  }
})

test('every problem is named with its file, that of the process once; a farm with API_ENABLED=false is left out', async () => {
  write('clover', `API_KEY=${key}`, 'API_PORT=x')
  write('robin', 'API_PROT=8102')
  write('off', 'API_ENABLED=false', 'API_PORT=x')
  expect((await problems({ RATE_LIMIT_READS: 'many' })).sort()).toEqual([
    expect.stringMatching(/^.*\/clover\.env: API_PORT: is "x"; /),
    expect.stringMatching(/^.*\/robin\.env: API_KEY: is not set/),
    expect.stringMatching(/^.*\/robin\.env: API_PROT: is not known; API_PORT is meant\?/),
    expect.stringMatching(/^RATE_LIMIT_READS: is "many"/),
  ])
})

test('a folder that is missing or has no farm, and a file that cannot be a farm, are named', async () => {
  expect(await problems()).toEqual([`--farms: ${folder} has no farm; add a file such as clover.env`])
  mkdirSync(file('clover'))
  write('two words')
  expect(await problems()).toEqual([
    `${file('two words')}: is not the name of a farm; use at most 64 letters, digits, dots, dashes and underscores`,
    `${file('clover')}: cannot be read (EISDIR); check its permissions`,
  ])
  folder = join(folder, 'nothing')
  expect(await problems()).toEqual([`--farms: ${folder} cannot be read (ENOENT); name a folder`])
})

test('serve --farms exits with 78 before it starts any farm, and --check-config checks the folders of each', async () => {
  write('clover', `API_KEY=${key}`, 'API_PORT=0')
  write('robin', `API_KEY=${key}2`, 'API_PORT=0', `DATA_DIR=${file('clover')}`)
  const env = { DATA_DIR: join(folder, 'data') }
  const endOf = async ({ exited, stdout, stderr }: FarmgateProcess) => {
    const { code } = await exited
    return { code, stdout: stdout(), stderr: stderr() }
  }
  const ended = async (...args: readonly string[]) => endOf(await serve(env, ...args))
  expect(await ended('--check-config', `--farms=${folder}`)).toEqual({
    code: 78,
    stdout: '',
    stderr: expect.stringMatching(/^.*\/robin\.env: DATA_DIR: cannot be used: it is not a folder/),
  })
  write('robin', `API_KEY=${key}2`, 'API_PORT=0')
  const command = [
    process.execPath,
    programs.commandLine,
    'serve',
    '--farms',
    folder,
    '--check-config',
  ] as const
  expect(await endOf(await launch(command, env))).toMatchObject({ code: 0, stderr: '' })
  write('robin', 'API_PORT=0')
  const refused = await ended('--farms', folder)
  expect(refused).toEqual({ code: 78, stdout: '', stderr: expect.stringMatching(/robin\.env: API_KEY/) })
})
