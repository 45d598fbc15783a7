/** What the operator types: `npm run edge` in one terminal, `npm run serve` in another, and `wrangler deploy`. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { suiteKey } from '../contract/server-under-test.ts'
import { inherited } from '../inherited.ts'
import { eventually } from '../wait.ts'
import { wrangler, wranglerEnv } from './bundle.ts'
import { command } from './command.ts'
import { linkKey } from './edge-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farmgate-edge-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('npm run edge and npm run serve give the API at the edge; a farm that stops is away, and is served again after its restart', async () => {
  const home = await scratch()
  const env = wranglerEnv(home)
  const edge = command(
    ['npm', 'run', 'edge', '--', '--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0'].concat([
      '--persist-to',
      home,
      '--var',
      `API_KEY:${suiteKey}`,
      '--var',
      `LINK_KEY:${linkKey}`,
    ]),
    env,
  )
  onTestFinished(() => edge.stop())
  const url = await edge.said(/Ready on (http:\/\/127\.0\.0\.1:\d+)/)
  const serve = () => {
    const serving = command(['npm', 'run', 'serve'], {
      ...inherited,
      HOME: home,
      API_KEY: suiteKey,
      API_PORT: '0',
      EDGE_URL: url,
      EDGE_LINK_KEY: linkKey,
    })
    onTestFinished(() => serving.stop())
    return serving
  }
  const get = async (path: string, key = suiteKey) =>
    fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } })
  const isOnline = async () => (await (await get('/status')).json()).isOnline

  expect(await (await get('/health')).json()).toMatchObject({ status: 'degraded', gameAvailable: false })
  const first = serve()
  await first.said(/(linked to the edge)/)
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
  await first.stop()
  await eventually(async () => expect(await isOnline()).toBe(false))
  expect((await get('/players')).status).toBe(503)
  const second = serve()
  await second.said(/(linked to the edge)/)
  await eventually(async () => expect(await isOnline()).toBe(true))
  expect((await get('/players')).status).toBe(200)
  for (const { output } of [edge, first, second]) {
    // wrangler itself lists the variables that it was given on the command line, as `(hidden)`.
    expect(output()).not.toContain(`Bearer ${suiteKey}`)
    expect(output()).not.toContain(`Bearer ${linkKey}`)
  }
  for (const { output } of [first, second]) {
    expect(output()).not.toContain(suiteKey)
    expect(output()).not.toContain(linkKey)
  }
})

test('wrangler deploy --dry-run finds everything that a deployment needs', () => {
  const said = inject('edgeDryRun')
  for (const binding of ['FARM', 'FLEET', 'ADDRESS_LIMIT', 'FLEET_KEY_LIMIT', 'ASSETS'])
    expect(said).toContain(`env.${binding}`)
  const [, kilobytes] = /gzip: ([\d.]+) KiB/.exec(said) ?? []
  expect(Number(kilobytes)).toBeLessThan(97.6)
})

test('wrangler types needs no network', async () => {
  const home = await scratch()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [wrangler, 'types', join(home, 'worker-configuration.d.ts')],
    { cwd: root, env: wranglerEnv(home) },
  )
  expect(stdout).toContain('Types written')
})
