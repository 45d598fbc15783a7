/** `npm run edge:serve`: one instance, with its state on the disk of this machine. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { signInWith } from '../accounts/sign-in.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { inherited } from '../inherited.ts'
import { type LogLine, recorder } from '../logs.ts'
import { newFolder } from '../new-folder.ts'
import { accountsOf } from '../records/memory-accounts.ts'
import { memoryFarm } from '../records/memory-records.ts'
import { eventually } from '../wait.ts'
import { headers } from './an-edge.ts'
import { command, commandLines, watchProcesses } from './command.ts'
import { fleetKey, linkKey } from './edge-server.ts'
import { linkedFarm } from './linked-farm.ts'
import { type OwnEdgeOptions, startOwnEdge, workerdOf } from './own-edge.ts'

const keys = { API_KEY: suiteKey, LINK_KEY: linkKey, FLEET_KEY: fleetKey }
const fleet = { Authorization: `Bearer ${fleetKey}` }

async function ownEdge(vars: Readonly<Record<string, string>> = {}, options: OwnEdgeOptions = {}) {
  const edge = await startOwnEdge({ ...keys, ...vars }, options)
  onTestFinished(() => edge.stop())
  const get = (path: string, more: Readonly<Record<string, string>> = {}, method = 'GET') =>
    fetch(`${edge.url}${path}`, { method, headers: { ...headers, ...more } })
  return { ...edge, get }
}

/** As `npm ci` does. In a checkout with changed sources the launcher would run the sources. */
function buildPrograms() {
  const build = join(import.meta.dirname, '../../deploy/programs/build.ts')
  expect(spawnSync(process.execPath, [build], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
}

/** The files below a folder that other users of this machine can read. */
const readable = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => statSync(path).isFile() && (statSync(path).mode & 0o077) !== 0)

test('npm run edge:serve serves a farm without an account; no argument and no file that others can read has a key', async () => {
  const home = newFolder()
  const keyFile = join(newFolder(), 'fleet-key')
  writeFileSync(keyFile, `${fleetKey}\n`, { mode: 0o600 })
  const seen = newFolder()
  const hook = join(newFolder(), 'hook.cjs')
  writeFileSync(
    hook,
    `const { writeFileSync } = require('node:fs')
    const own = ${JSON.stringify(seen)} + '/' + process.pid
    writeFileSync(own, JSON.stringify([process.argv, process.env]))
    process.on('exit', () => writeFileSync(own + '.ended', process.argv[1] ?? ''))`,
  )
  buildPrograms()
  const children = watchProcesses(`HOME=${home}`)
  onTestFinished(children.stop)
  const edge = command(['npm', 'run', 'edge:serve'], {
    CANARY: 'one .env serves all',
    ...inherited,
    NODE_OPTIONS: `--require=${hook}`,
    HOME: home,
    TMPDIR: home,
    API_KEY: suiteKey,
    LINK_KEY: linkKey,
    FLEET_KEY_FILE: keyFile,
    EDGE_LISTEN: '127.0.0.1:0',
    EDGE_STATE_DIR: join(home, 'state'),
  })
  onTestFinished(() => edge.stop())
  const url = await edge.said(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/)
  await linkedFarm(url, linkKey)
  for (const path of ['/ready', '/health', '/status', '/players', '/docs'])
    expect([path, (await fetch(`${url}${path}`, { headers })).status]).toEqual([path, 200])
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect((await fetch(`${url}/farms`, { headers: fleet })).status).toBe(200)
  children.stop()
  const allowed = /^(PATH|HOME|TMPDIR|WRANGLER_.*|CLOUDFLARE_CF_FETCH_ENABLED|NODE_CHANNEL_.*)=/
  const ofBuild = children.environments(/own-edge\/build\.ts|wrangler/)
  expect(ofBuild.length).toBeGreaterThan(0)
  expect(ofBuild.filter((text) => !allowed.test(text))).toEqual([])
  const ofWorkerd = children.environments(/\/bin\/workerd/)
  const names = ofWorkerd.map((text) => text.split('=')[0] ?? '')
  expect([...new Set(names)].sort()).toEqual([
    ...['API_KEY', 'FLEET_KEY', 'HOME', 'LINK_KEY', 'PATH', 'TMPDIR'],
  ])
  const lines = commandLines().filter((line) => line.includes('workerd'))
  expect(lines).not.toEqual([])
  for (const key of [suiteKey, linkKey, fleetKey]) {
    expect(lines.filter((line) => line.includes(key))).toEqual([])
    for (const path of readable(home)) expect([path, readFileSync(path).includes(key)]).toEqual([path, false])
    expect(edge.output()).not.toContain(key)
  }
  await edge.stop()
  const ended = readdirSync(seen).filter((name) => name.endsWith('.ended'))
  const programs = ended.map((name) => readFileSync(join(seen, name), 'utf8'))
  expect(programs).toContainEqual(expect.stringMatching(/\/built\/own-edge\/serve\.js$/))
})

test('GET /instance/ready is the instance’s own: 200 without a key while the farm is offline, and it wakes no object; /ready is that of the farm at the root; a farm of the fleet has its own; a client cannot choose its address', async () => {
  const { get, url, output } = await ownEdge({ LOG_LEVEL: 'debug', RATE_LIMIT_FAILED_KEYS: '2' })
  for (const path of ['/instance/ready', '/instance/ready/'])
    expect((await fetch(`${url}${path}`)).status).toBe(200)
  expect(output()).not.toContain('farm object awake')
  expect((await get('/ready')).status).toBe(503)
  await eventually(() => expect(output()).toContain('farm object awake'))
  const { status } = await linkedFarm(url, linkKey).then(() => fetch(`${url}/ready`))
  expect(status).toBe(200)
  await get('/farms/clover', { ...fleet }, 'PUT')
  expect((await get('/farms/clover/ready')).status).toBe(503)

  // Without TRUST_PROXY a client cannot choose its address: only the socket counts.
  const statuses: number[] = []
  for (let at = 1; at <= 4; at += 1) {
    const address = `192.0.2.${at}`
    const claim = { 'CF-Connecting-IP': address, 'X-Forwarded-For': address, 'X-Real-IP': address }
    statuses.push((await get('/players', { ...claim, Authorization: 'Bearer wrong' })).status)
  }
  expect(statuses).toEqual([401, 401, 429, 429])
  expect(output()).not.toContain('192.0.2.')
})

test('workerd that ends is started again with what it has stored, and a farm links again; kill -9 of the launcher leaves no workerd behind', async () => {
  const edge = await ownEdge()
  const { link } = await linkedFarm(edge.url, linkKey)
  const put = await fetch(`${edge.url}/farms/clover`, { method: 'PUT', headers: fleet })
  expect(put.status).toBe(201)
  process.kill(workerdOf(edge), 'SIGKILL')
  await eventually(() => expect(edge.output()).toContain('workerd has ended; it starts again'))
  await eventually(() => expect(edge.output().match(/"msg":"listening"/g)).toHaveLength(2))
  const { url } = edge
  await eventually(() => expect(link.isOpen).toBe(true))
  const { farms } = await (await fetch(`${url}/farms`, { headers: fleet })).json()
  expect(farms).toMatchObject([{ farm: 'clover' }])
  expect((await fetch(`${url}/players`, { headers })).status).toBe(200)
  const workerd = workerdOf(edge)
  edge.launcher.kill('SIGKILL')
  await eventually(() => expect(() => process.kill(workerd, 0)).toThrow('ESRCH'))
})

test('SIGTERM closes the link and every chat client with 1012, and ends it within five seconds', async () => {
  const lines: LogLine[] = []
  const edge = await ownEdge()
  await linkedFarm(edge.url, linkKey, { log: recorder(lines) })
  const ws = new WebSocket(`${edge.url.replace('http', 'ws')}/ws`)
  ws.on('open', () => ws.send(JSON.stringify({ type: 'auth', payload: { token: suiteKey } })))
  const closed = once(ws, 'close')
  await once(ws, 'message')
  const workerd = workerdOf(edge)
  edge.launcher.kill('SIGTERM')
  const [code] = await once(edge.launcher, 'exit', { signal: AbortSignal.timeout(5000) })
  expect(code).toBe(0)
  const [ended, reason] = await closed
  expect([ended, String(reason)]).toEqual([1012, 'The edge is restarting'])
  expect(lines.map(({ message }) => message)).toContain('no link to the edge: the edge is restarting')
  expect(() => process.kill(workerd, 0)).toThrow('ESRCH')
})

test('TRUST_PROXY=1: behind a proxy with HTTPS a session has the cookie of HTTPS, and the address is the last one of X-Forwarded-For', async () => {
  const { url, get } = await ownEdge({ TRUST_PROXY: '1', RATE_LIMIT_FAILED_KEYS: '1' })
  const { records } = await memoryFarm()
  const issuer = { url: 'http://127.0.0.1:9', discordUrl: 'http://127.0.0.1:9' }
  const accounts = accountsOf(records, signInWith(issuer, 'https://edge.example'))
  await linkedFarm(url, linkKey, { records: records.of('edge'), accounts })
  const begin = (scheme: string) =>
    fetch(`${url}/sign-in/discord`, { redirect: 'manual', headers: { 'X-Forwarded-Proto': scheme } })
  expect((await begin('https')).headers.get('set-cookie')).toMatch(/^__Host-farmgate.*; Secure/)
  expect((await begin('http')).headers.get('set-cookie')).toMatch(/^farmgate/)
  expect((await get('/status')).status).toBe(200)
  const wrong = async (forwarded: string) =>
    (await get('/players', { 'X-Forwarded-For': forwarded, Authorization: 'Bearer wrong' })).status
  expect(await wrong('192.0.2.9, 192.0.2.1')).toBe(401)
  expect(await wrong('192.0.2.8, 192.0.2.1')).toBe(429)
  expect(await wrong('192.0.2.1, 192.0.2.2')).toBe(401)
})

test('the limits of wrangler.toml count: requests of an address, and wrong fleet keys', async () => {
  const { get } = await ownEdge({}, { addressLimit: 15 })
  const statuses: number[] = []
  for (let at = 1; at <= 11; at += 1)
    statuses.push((await get('/farms', { Authorization: 'Bearer wrong' })).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
  for (let at = 12; at <= 15; at += 1) expect((await get('/docs')).status).toBe(200)
  const limited = await get('/docs')
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60'])
})

test('a TMPDIR that is too long for the socket in it is exit 78', async () => {
  const TMPDIR = join(newFolder(), 'x'.repeat(90))
  mkdirSync(TMPDIR)
  await expect(startOwnEdge({ ...keys, TMPDIR })).rejects.toThrow(/exit 78.*TMPDIR: is too long/s)
})

test('a second instance in the folder of another one, or on its port, does not start and says why', async () => {
  const state = newFolder()
  const { url } = await ownEdge({}, { state })
  const output = async (vars: Readonly<Record<string, string>>, folder: string) => {
    const second = startOwnEdge({ ...keys, ...vars }, { state: folder })
    return second.then(
      () => expect.unreachable('it has started'),
      (error: Error) => error.message,
    )
  }
  expect(await output({}, state)).toMatch(/exit 78.*is in use by/s)
  expect(await output({ EDGE_LISTEN: new URL(url).host }, newFolder())).toMatch(/exit 1.*EDGE_LISTEN/s)
})
