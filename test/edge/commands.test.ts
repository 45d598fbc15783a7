/** The operator's commands: `npm run edge` in one terminal, `npm run serve` in another, and `wrangler deploy`. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { envFileText } from '../../own-edge/env-file-text.ts'
import { generated } from '../../runtime/documents/generated.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { inherited } from '../inherited.ts'
import { newFolder } from '../new-folder.ts'
import { eventually } from '../wait.ts'
import { wranglerEnv } from './bundle.ts'
import { command, commandLines } from './command.ts'
import { linkKey } from './edge-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** This checkout as it is after `farmgate init`, with a `.env` for compose.yaml in it. */
async function checkoutWithSecrets(): Promise<string> {
  const folder = newFolder()
  const left = ['.git', 'worker-configuration.d.ts', '.dev.vars']
  for (const name of readdirSync(root).filter((one) => !left.includes(one) && !one.startsWith('.env')))
    await symlink(join(root, name), join(folder, name))
  await writeFile(
    join(folder, '.env'),
    'CANARY_OF_THE_STACK=canary-value\nTRUST_PROXY=1\nFLEET_KEY=canary-value-of-the-fleet\n',
  )
  return folder
}

test('after `farmgate init` the types of the Worker are as before: no variable of .env is in them', async () => {
  const folder = await checkoutWithSecrets()
  const home = newFolder()
  await promisify(execFile)(process.execPath, [join(root, 'own-edge/generate-types.ts')], {
    cwd: folder,
    env: wranglerEnv(home),
  })
  const types = readFileSync(join(folder, 'worker-configuration.d.ts'), 'utf8')
  expect(types).toContain('FarmObject')
  for (const name of ['CANARY_OF_THE_STACK', 'TRUST_PROXY', 'FLEET_KEY: string'])
    expect(types).not.toContain(name)
})

test('npm run edge passes keys to the Worker unchanged, and only its own variables', () => {
  const names = ['API_KEY', 'LINK_KEY', 'LOG_LEVEL']
  expect(envFileText(names, { API_KEY: 'k+/=', LINK_KEY: '', HOME: '/root' })).toBe("API_KEY='k+/='\n")
  expect(envFileText(names, { API_KEY: "it's $5" })).toBe('API_KEY="it\'s \\$5"\n')
})

test('npm run edge and npm run serve give the API at the edge; a farm that stops is offline', async () => {
  const home = newFolder()
  const edge = command(
    ['npm', 'run', 'edge', '--', '--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0'].concat([
      '--persist-to',
      home,
    ]),
    { ...wranglerEnv(home), TMPDIR: home, API_KEY: suiteKey, LINK_KEY: linkKey },
    await checkoutWithSecrets(),
  )
  onTestFinished(() => edge.stop())
  const url = await edge.said(/Ready on (http:\/\/127\.0\.0\.1:\d+)/)
  const lines = commandLines()
  expect(lines.filter((line) => line.includes(home))).not.toEqual([])
  for (const key of [suiteKey, linkKey])
    expect(lines.filter((line) => line.includes(key) && line.includes('wrangler'))).toEqual([])
  for (const name of ['CANARY_OF_THE_STACK', 'env.FLEET_KEY (', 'canary-value'])
    expect(edge.output()).not.toContain(name)
  const get = async (path: string, key = suiteKey) =>
    fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } })
  const isOnline = async () => (await (await get('/status')).json()).isOnline

  expect(await (await get('/health')).json()).toMatchObject({ status: 'degraded', gameAvailable: false })
  const serve = command(['npm', 'run', 'serve'], {
    ...inherited,
    HOME: home,
    API_KEY: suiteKey,
    API_PORT: '0',
    EDGE_URL: url,
    EDGE_LINK_KEY: linkKey,
  })
  onTestFinished(() => serve.stop())
  await serve.said(/(linked to the edge)/)
  for (const path of [
    '/health',
    '/ready',
    '/status',
    '/players',
    '/farmhands',
    '/cabins',
    '/settings',
    '/docs',
  ])
    expect([path, (await get(path)).status]).toEqual([path, 200])
  expect((await get('/players', 'wrong')).status).toBe(401)
  await serve.stop()
  await eventually(async () => expect(await isOnline()).toBe(false))
  expect((await get('/players')).status).toBe(503)
  for (const key of [suiteKey, linkKey]) {
    // wrangler itself lists the variables from the command line, as `(hidden)`.
    expect(edge.output()).not.toContain(`Bearer ${key}`)
    expect(serve.output()).not.toContain(key)
  }
})

test('wrangler deploy --dry-run finds everything that a deployment needs', () => {
  const said = inject('edgeDryRun')
  for (const binding of ['FARM', 'FLEET', 'ADDRESS_LIMIT', 'FLEET_KEY_LIMIT', 'ASSETS'])
    expect(said).toContain(`env.${binding}`)
  const [, kilobytes] = /gzip: ([\d.]+) KiB/.exec(said) ?? []
  expect(Number(kilobytes)).toBeLessThan(87)
})

test('the Worker has no words that only the documents show', () => {
  const words = generated('openapi.json').matchAll(/"(?:summary|description)":("[^"]* [^"]*")/g)
  const bundle = readFileSync(join(inject('edgeBundle'), 'worker.js'), 'utf8')
  const found = [...words].map(([, text = '']) => JSON.parse(text)).filter((text) => bundle.includes(text))
  // Both are parts of sentences of errors.
  expect(new Set(found)).toEqual(new Set(['The key', 'A message']))
})
