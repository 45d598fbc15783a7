/** `farmgate init` without a terminal, and the .env that it makes. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readConfig as readApi } from '../../runtime/node/config.ts'
import { readConfig as readTicket } from '../../ticket/config.ts'
import { composeWith } from '../compose.ts'
import { textOf, valuesOf } from './dotenv-file.ts'
import { newFolder, run } from './farmgate.ts'

const options = ['--account', 'cloverfarm', '--domain', 'farm.example']
const edge = ['--edge-url', 'https://edge.example/farms/clover']

/** Runs it without a terminal in a separate folder. */
async function made(args: readonly string[], cwd = newFolder()) {
  const finished = await run(['init', ...args], {}, '', cwd)
  return { ...finished, cwd, path: join(cwd, '.env') }
}

describe('farmgate init without a terminal', () => {
  test('asks nothing, takes the options, and makes the keys and a join password', async () => {
    const { code, stderr, cwd } = await made(options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(valuesOf(cwd)).toEqual({
      API_KEY: expect.stringMatching(/^[a-z2-7]{40}$/),
      GAME_API_KEY: expect.stringMatching(/^[a-z2-7]{40}$/),
      TICKET_KEY: expect.stringMatching(/^[a-z2-7]{40}$/),
      VNC_PASSWORD: expect.stringMatching(/^[a-z2-7]{8}$/),
      SERVER_PASSWORD: expect.stringMatching(/^[a-z2-7]{8}$/),
      PLATFORM_USERNAME: 'cloverfarm',
      API_DOMAIN: 'farm.example',
      TRUST_PROXY: '1',
    })
  })

  test('no two keys are the same, in one file or in two', async () => {
    const keys = [await made(edge), await made(edge)].flatMap(({ cwd }) =>
      Object.values(valuesOf(cwd)).filter((value) => /^[a-z2-7]{8,}$/.test(value)),
    )
    expect(keys).toHaveLength(12)
    expect(new Set(keys).size).toBe(12)
  })

  test('the file has mode 0600 under any umask, and neither output has a key', async () => {
    const { stdout, stderr, cwd, path } = await made(edge)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    for (const [name, value] of Object.entries(valuesOf(cwd)))
      if (/KEY|PASSWORD/.test(name)) expect(`${stdout}${stderr}`).not.toContain(value)
    expect(readdirSync(cwd)).toEqual(['.env'])
  })

  test('an existing .env stays without --yes; with it the old one is kept, both of mode 0600', async () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, '.env'), 'BACKUP_PASSPHRASE=dear\n', { mode: 0o644 })
    const refused = await made([], cwd)
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Add --yes') })
    expect(textOf(cwd)).toBe('BACKUP_PASSPHRASE=dear\n')
    for (const old of ['.env.old-1', '.env.old-2']) {
      const { code, stdout } = await made(['--yes'], cwd)
      expect({ code, isReported: stdout.includes(old) }).toEqual({ code: 0, isReported: true })
      expect(statSync(join(cwd, old)).mode & 0o777).toBe(0o600)
    }
    expect(readFileSync(join(cwd, '.env.old-1'), 'utf8')).toBe('BACKUP_PASSPHRASE=dear\n')
    expect(statSync(join(cwd, '.env')).mode & 0o777).toBe(0o600)
  })

  test('passwords come from files, and no option takes one', async () => {
    const cwd = newFolder()
    const join_ = join(cwd, 'join')
    writeFileSync(join_, 'clover4ever\n')
    const linkKey = join(cwd, 'link')
    writeFileSync(linkKey, 'a+link/key=of:the,edge\n')
    const args = [...edge, '--join-password-file', join_, '--edge-link-key-file', linkKey]
    expect((await made(args, cwd)).code).toBe(0)
    expect(valuesOf(cwd)).toMatchObject({
      SERVER_PASSWORD: 'clover4ever',
      EDGE_LINK_KEY: 'a+link/key=of:the,edge',
    })
    expect(valuesOf((await made(['--no-join-password'])).cwd)).not.toHaveProperty('SERVER_PASSWORD')
    expect(await made(['--join-password', 'x'])).toMatchObject({ code: 2 })
  })

  test('--allow-restore lets the control API write to the saves; without it they are read only', async () => {
    expect(valuesOf((await made(['--allow-restore'])).cwd)).toMatchObject({ SAVES_ACCESS: 'rw' })
    expect(valuesOf((await made([])).cwd)).not.toHaveProperty('SAVES_ACCESS')
  })

  test('a join password of fewer than 6 characters is refused', async () => {
    const cwd = newFolder()
    const path = join(cwd, 'join')
    writeFileSync(path, 'clove\n')
    const { code, stderr } = await made(['--join-password-file', path])
    expect({ code, isReported: stderr.includes('use 6 or more characters') }).toEqual({
      code: 2,
      isReported: true,
    })
  })

  test.each([
    ['--domain', 'https://farm.example', /--domain: use a name/],
    ['--domain', 'farm', /--domain: use a name/],
    ['--account', '../x', /--account: use/],
    ['--account', "o'hara", /--account: use letters/],
    ['--edge-url', 'http://edge.example', /--edge-url: plain http/],
    ['--edge-url', "https://edge.example/'$(x)'", /--edge-url: use letters/],
    ['--join-password-file', '/nowhere/file', /--join-password-file .*cannot be read/],
  ])('%s %s is refused with the reason, and nothing is written', async (option, value, words) => {
    const { code, stdout, stderr, cwd } = await made([option, value])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(words)
    expect(readdirSync(cwd)).toEqual([])
  })

  test('--json shows the file and what was made, and no key', async () => {
    const { stdout } = await made(['--json'])
    expect(JSON.parse(stdout)).toEqual({
      file: '.env',
      made: ['API_KEY', 'GAME_API_KEY', 'TICKET_KEY', 'VNC_PASSWORD', 'SERVER_PASSWORD'],
    })
  })

  test('a folder that cannot be written is reported with its error, and the old .env stays', async () => {
    const cwd = newFolder()
    mkdirSync(join(cwd, '.env.new'))
    expect(await made([], cwd)).toMatchObject({ code: 1, stdout: '' })
    expect(existsSync(join(cwd, '.env'))).toBe(false)
  })
})

test('the help of farmgate init says that it is optional, and where the link is that sets up the farm', async () => {
  const { stdout } = await run(['init', '--help'])
  const help = stdout.replaceAll(/\s+/g, ' ')
  expect(help).toContain('It is optional')
  expect(help).toContain(
    'The link in `docker compose logs ticket` then signs in to Steam and sets up the farm',
  )
})

describe('the .env of farmgate init', () => {
  test('has the same values for compose, a shell and Node, and no value needs an escape in a URL', async () => {
    const { cwd } = await made([...options, ...edge])
    const values = valuesOf(cwd)
    expect(parseEnv(textOf(cwd))).toEqual(values)
    const names = Object.keys(values)
    const printed = execFileSync(
      'bash',
      ['-c', `set -a; . ./.env; for name; do printf '%s\\0' "\${!name}"; done`, 'bash', ...names],
      { cwd, encoding: 'utf8' },
    )
    expect(printed.split('\0').slice(0, -1)).toEqual(Object.values(values))
    expect(new URL(`http://ticket:3001/${values['TICKET_KEY']}`).pathname).toBe(`/${values['TICKET_KEY']}`)
  })

  test('starts the stack: both processes accept their environment, the game server has all it needs', async () => {
    const { services } = composeWith(valuesOf((await made([...options, ...edge])).cwd))
    const reading = readApi({
      env: services.api.environment,
      readFile: () => '',
      isTerminal: false,
      newKey: () => '',
    })
    expect(reading).toMatchObject({ config: { bridge: 'upstream', TRUST_PROXY: 1, EDGE_URL: [edge[1]] } })
    expect(readTicket(services.ticket.environment)).toMatchObject({ config: { port: 3001 } })
  })
})
