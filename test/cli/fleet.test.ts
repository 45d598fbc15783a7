/** `farmgate fleet` through the real Worker, with farms that are linked to it. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Edge, startEdge } from '../edge/edge.ts'
import { fleetKey } from '../edge/edge-server.ts'
import { createFarm, fleetFarm } from '../edge/linked-farm.ts'
import { inherited } from '../inherited.ts'
import { newFolder } from '../new-folder.ts'
import { codeBlock } from '../project/code-blocks.ts'
import { at, run } from './farmgate.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startEdge(inject('edgeBundle'), {
    FLEET_KEY: fleetKey,
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
  })
})
afterAll(() => edge.stop())

const fleet = (...args: string[]) => run(['fleet', ...args], at({ url: edge.url, key: fleetKey }))

test('a farm is added, with its keys shown once and the lines for its .env; one that exists is an error; a deletion without a terminal needs --yes', async () => {
  const added = await fleet('add', 'yarrow')
  expect(added).toMatchObject({ code: 0, stderr: '' })
  const line = (name: string) => new RegExp(`^${name}=(\\S+)$`, 'm').exec(added.stdout)?.[1]
  expect(line('EDGE_URL')).toBe(`${edge.url}/farms/yarrow`)
  expect(line('EDGE_LINK_KEY')).toMatch(/^\S{32,}$/)
  const [, key = ''] = /clients: (\S+)$/m.exec(added.stdout) ?? []
  const own = await fetch(`${edge.url}/farms/yarrow/keys/own`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(own.status).toBe(200)
  const again = await fleet('add', 'yarrow')
  expect(again).toMatchObject({ code: 3, stdout: '' })
  expect(again.stderr).toContain('There is a farm yarrow already; nothing was changed.')
  expect(await fleet('delete', 'yarrow')).toMatchObject({ code: 2, stdout: '' })
  expect((await fleet()).stdout).toContain('yarrow')
  expect(await fleet('delete', 'yarrow', '-y')).toMatchObject({ code: 0, stdout: 'yarrow is deleted\n' })
  expect((await fleet()).stdout).not.toContain('yarrow')
})

test('the farms of an edge are listed worst first, tagged, noted, announced to, and their dashboards opened', async () => {
  expect(await fleet()).toMatchObject({ code: 0, stdout: '', stderr: 'No farms.\n' })
  const { records } = await fleetFarm(edge.url, 'alder')
  await fleetFarm(edge.url, 'birch')
  await createFarm(edge.url, 'clover')

  expect(await fleet('tag', 'alder', 'eu', 'paid')).toMatchObject({ code: 0, stdout: 'alder eu, paid\n' })
  expect(await fleet('note', 'alder', 'Moves in May')).toMatchObject({ stdout: 'alder Moves in May\n' })
  expect(await fleet('tag', 'nothing', 'eu')).toMatchObject({ code: 4, stdout: '' })
  const all = await fleet()
  expect(all.code).toBe(0)
  expect(all.stdout).toMatch(/^Farm .*\nclover +never_linked.*\nalder .*eu, paid +Moves in May\nbirch /s)
  for (const which of [
    ['--tag', 'eu'],
    ['--tags', 'eu'],
    ['--tags', 'asia', 'paid'],
  ]) {
    const { farms } = JSON.parse((await fleet('--json', ...which)).stdout)
    expect(farms).toMatchObject([{ farm: 'alder', tags: ['eu', 'paid'], note: 'Moves in May', trouble: [] }])
  }

  const announced = await fleet('announce', 'New mods tonight', '--tags', 'eu')
  expect(announced).toMatchObject({ code: 0, stdout: '1 of 1 farms\n', stderr: 'alder: succeeded\n' })
  const { actions } = JSON.parse((await fleet('actions', '--json')).stdout)
  expect(actions).toMatchObject([{ action: 'announce', state: 'ended', farms: 1, succeeded: 1 }])
  expect((await fleet('actions')).stdout).toContain(`${actions[0].id} `)
  expect(await fleet('outcomes', actions[0].id)).toMatchObject(announced)
  expect((await records.of('local').audit({ limit: 5 })).entries[0]).toMatchObject({
    action: 'announce',
    key: { name: 'FLEET_KEY' },
    origin: 'edge',
  })

  const opened = await fleet('open', 'alder')
  const [, address = '', key] = /^(\S+)\/#key=(\S+)\n$/.exec(opened.stdout) ?? []
  expect(address).toBe(`${edge.url}/farms/alder`)
  const own = await fetch(`${address}/keys/own`, { headers: { Authorization: `Bearer ${key}` } })
  expect([own.status, await own.json()]).toMatchObject([200, { scopes: ['admin'] }])
  expect((await records.of('local').audit({ limit: 5 })).entries[0]).toMatchObject({
    action: 'createKey',
    key: { name: 'FLEET_KEY' },
    parameters: { name: 'Fleet dashboard link', expiresInMinutes: 60 },
  })
  expect((await fleet('open', 'clover')).code).toBe(5)
})

test('an action that fails at a farm shows each outcome and exits with 1', async () => {
  await fleetFarm(edge.url, 'daisy')
  const done = await fleet('restart', '--farms', 'daisy,elm', '--warn', 'none', '--reason', 'mods', '--json')
  expect(done.code).toBe(1)
  expect(done.stderr).toContain('daisy: failed (')
  expect(done.stderr).toContain('2 of 2 farms failed.')
  expect(JSON.parse(done.stdout).outcomes).toMatchObject([
    { farm: 'daisy', outcome: 'failed', detail: expect.any(String) },
    { farm: 'elm', outcome: 'failed', detail: 'There is no farm of this name' },
  ])
  const skipped = await fleet('backup', '--farms', 'elm,daisy', '--stop-after', '1')
  expect(skipped.stderr).toContain('daisy: skipped')
})

test('the requests of docs/hosting.md make a farm and change its keys', async () => {
  const folder = newFolder()
  const shell = async (beginning: string) => {
    const line = codeBlock('docs/hosting.md', `curl ${beginning}`).replaceAll(
      'https://edge.example',
      edge.url,
    )
    const env = { ...inherited, FLEET_KEY: fleetKey }
    // Not synchronously: the edge's own server is in this process.
    const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', line], { cwd: folder, env })
    expect(beginning.includes('-fsS') ? stderr : '').toBe('')
    return stdout
  }
  await fetch(`${edge.url}/farms/clover`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${fleetKey}` },
  })
  await shell('-fsS')
  const { apiKey } = JSON.parse(readFileSync(join(folder, 'clover.json'), 'utf8'))
  const rotated = JSON.parse(await shell('-X PUT'))
  for (const key of [apiKey, rotated.apiKey]) {
    const headers = { Authorization: `Bearer ${key}` }
    expect((await fetch(`${edge.url}/farms/clover/players`, { headers })).status).toBe(503)
  }
})

test.each([
  [['backup'], 'Name the farms: --farms or --tags.'],
  [['backup', '--farms', 'daisy', '--at-once', 'all'], '--at-once is a whole number above 0.'],
  [['restart', '--farms', 'daisy', '--when', 'later'], '--when is one of'],
  [['tag', 'daisy', 'x'.repeat(33)], "Member 'tags'"],
])('%j is wrong usage', async (args, sentence) => {
  await createFarm(edge.url, 'daisy')
  expect(await fleet(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) })
})
