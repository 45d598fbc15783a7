/** deploy/systemd, checked by systemd itself, and the command of each unit, run as written. */
import { spawn, spawnSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { readText } from '../compose.ts'
import { inherited } from '../inherited.ts'
import { isInstalled } from '../left-out.ts'
import { newFolder, sharedFolder } from '../new-folder.ts'
import { eventually } from '../wait.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const names = globSync('*.service', { cwd: join(root, 'deploy/systemd') }).sort()
const folder = sharedFolder()

const unitOf = (name: string) => readText(`deploy/systemd/${name}`)
/** Values of a setting of the unit, in order. */
const settings = (name: string, setting: string): readonly string[] =>
  [...unitOf(name).matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, value = '']) => value)
const commandOf = (name: string) => settings(name, 'ExecStart')[0] ?? ''

/** The unit of one farm, with a program and a folder of this machine. @returns its path */
function instance(name: string): string {
  const path = join(folder, name.replace('@', '@clover'))
  const unit = unitOf(name)
    .replace('/usr/bin/node', process.execPath)
    .replaceAll('/opt/farmgate', root.replace(/\/$/, ''))
  writeFileSync(path, unit)
  return path
}

/** The output of systemd-analyze; empty on success. */
const analysed = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}` }
}

test('there is a unit for the control API, one for those of many farms, one for the ticket service and one for the edge', () => {
  expect(names).toEqual([
    'farmgate-edge.service',
    'farmgate-farms.service',
    'farmgate-ticket@.service',
    'farmgate@.service',
  ])
})

test.each(names)('%s writes no core file, which would hold keys', (name) => {
  expect(settings(name, 'LimitCORE')).toEqual(['0'])
})

const systemd = { name: 'systemd-analyze', debianPackage: 'systemd' }
describe.runIf(isInstalled('what systemd-analyze says of the units', systemd))('systemd-analyze', () => {
  test.each(names)('verify finds nothing wrong with %s', (name) => {
    expect(analysed('verify', '--man=no', instance(name))).toEqual({ status: 0, said: '' })
  })

  test.each(names)('security finds an exposure of at most 3.0 for %s', (name) => {
    const { status, said } = analysed(
      'security',
      '--offline=true',
      '--threshold=30',
      '--no-pager',
      instance(name),
    )
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(said) ?? []
    expect({ status, exposure: Number(exposure) }).toEqual({ status: 0, exposure: expect.any(Number) })
    expect(Number(exposure)).toBeLessThanOrEqual(3)
  })
})

describe.each(names)('%s', (name) => {
  test('runs as a user that systemd makes for it, and has its secrets from LoadCredential', () => {
    expect(settings(name, 'DynamicUser')).toEqual(['yes'])
    expect(settings(name, 'User')).toEqual([])
    const credentials = settings(name, 'LoadCredential').map((one) => one.split(':')[0])
    const files = [
      ...settings(name, 'Environment')
        .join(' ')
        .matchAll(/_FILE=%d\/(\w+)/g),
    ].map(([, file]) => file)
    // That of many farms is a folder.
    expect(files).toEqual(credentials.filter((one) => one !== 'farm'))
    expect(settings(name, 'Environment').join(' ')).not.toMatch(/(KEY|PASSWORD|TOKEN)=/)
  })

  test('runs the same command as npm does', () => {
    const { serve, ticket, 'edge:serve': edge } = packageJson.scripts
    const [script] = [
      ...(name.startsWith('farmgate-ticket') ? [`${ticket} serve`] : []),
      ...(name.startsWith('farmgate-edge') ? [edge] : []),
      ...(name.startsWith('farmgate-farms') ? [`${serve} --farms %d`] : []),
      serve,
    ]
    expect(commandOf(name)).toBe(`/usr/bin/${script}`)
  })
})

test.each([
  ['farmgate@.service', ''],
  ['farmgate-farms.service', 'API_PORT=0\nAPI_KEY=a-key-of-32-characters-or-more-xyz\n'],
])("the command of %s starts with the unit's credentials and folders", async (unit, farm) => {
  const credentials = newFolder()
  for (const one of settings(unit, 'LoadCredential')) {
    const [name = ''] = one.split(':')
    // The files of a folder get its name in front.
    if (farm === '') writeFileSync(join(credentials, name), 'a-key-of-32-characters-or-more-xyz\n')
    else writeFileSync(join(credentials, `${name}_clover.env`), farm)
  }
  const specifiers: Readonly<Record<string, string>> = { i: 'clover', d: credentials, S: folder, C: folder }
  const specified = (text: string) =>
    text.replaceAll(/%(\w)/g, (_, letter: string) => specifiers[letter] ?? '').split(' ')
  const given = specified(settings(unit, 'Environment').join(' ')).map((pair) => pair.split('='))
  const [, ...args] = specified(commandOf(unit))
  const env = {
    ...inherited,
    ...Object.fromEntries(given),
    API_PORT: '0',
    GAME_API_URL: 'http://127.0.0.1:1',
  }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let log = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const url = await eventually(() => {
    const [, found] = /"url":"(http:[^"]+)"/.exec(log) ?? []
    if (found === undefined) throw new Error(`no address yet: ${log}`)
    return found
  })
  const asked = (key: string) =>
    fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/keys/own`, { headers: { Authorization: `Bearer ${key}` } })
  expect((await asked('a-key-of-32-characters-or-more-xyz')).status).toBe(200)
  expect((await asked('another')).status).toBe(401)
})
