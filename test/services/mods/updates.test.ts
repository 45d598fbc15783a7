/** Newer versions of mods, from a stand-in for SMAPI's update API. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { lookForUpdates } from '../../../services/mods/look-for-updates.ts'
import { portOf } from '../../port-of.ts'
import { farmMods } from './farm-mods.ts'

const page = 'https://www.nexusmods.com/stardewvalley/mods/1'
const update = (id: string, version: string, url = page) => ({
  id,
  suggestedUpdate: { version, url },
  errors: [],
})

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** @returns its address */
async function standIn(answer: Answer, bodies: unknown[] = []): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    bodies.push(JSON.parse(Buffer.concat(pieces).toString()))
    answer(response, request)
  })
  return `http://127.0.0.1:${await portOf(server)}/api`
}

/** The stand-in, and mods whose service asks it. */
async function asked(answer: Answer) {
  const bodies: unknown[] = []
  const paths: unknown[] = []
  const updatesUrl = await standIn((response, request) => {
    paths.push(`${request.method} ${request.url}`)
    answer(response, request)
  }, bodies)
  const farm = farmMods()
  onTestFinished(farm.remove)
  farm.put('One', { id: 'A.One', version: '1.2.0', more: { UpdateKeys: ['Nexus:1'] } })
  farm.put('Two', { id: 'A.Two', version: '2.0' }, 'off')
  const clock = { now: 0 }
  const { port } = farm.open({ updatesUrl, monotonic: () => clock.now })
  return { port, bodies, paths, clock, farm }
}
const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value))

test('SMAPI is asked for all mods with their update keys; newer versions are answered, and shown in the list', async () => {
  const { port, bodies, paths } = await asked(json([update('a.one', '1.3.0-beta'), update('A.Two', '2.0.0')]))
  expect((await port.mods()).mods[0]?.update).toBeUndefined()
  expect(await port.modUpdates()).toEqual([
    { id: 'A.One', installed: '1.2.0', version: '1.3.0-beta', url: page },
  ])
  expect((await port.mods()).mods[0]?.update).toEqual({ version: '1.3.0-beta', url: page })
  expect(paths).toEqual(['POST /api'])
  expect(bodies).toMatchObject([
    {
      mods: [
        { id: 'A.One', updateKeys: ['Nexus:1'], installedVersion: '1.2.0' },
        { id: 'A.Two', updateKeys: [], installedVersion: '2.0' },
      ],
      apiVersion: '4.0.0',
    },
  ])
})

test('an answer is kept for six hours, or until the mods change', async () => {
  const { port, bodies, clock, farm } = await asked(json([]))
  await Promise.all([port.modUpdates(), port.modUpdates()])
  clock.now = 6 * 3_600_000 - 1
  await port.modUpdates()
  expect(bodies).toHaveLength(1)
  clock.now += 2
  await port.modUpdates()
  expect(bodies).toHaveLength(2)
  farm.put('Three', { id: 'A.Three' })
  await port.modUpdates()
  expect(bodies).toHaveLength(3)
})

test('a failure is kept for a minute', async () => {
  let status = 500
  const { port, bodies, clock } = await asked((response) => {
    response.statusCode = status
    response.end('[]')
  })
  const failed = () => expect(port.modUpdates()).rejects.toThrow(FarmError)
  await failed()
  status = 200
  await failed()
  expect(bodies).toHaveLength(1)
  clock.now = 60_001
  expect(await port.modUpdates()).toEqual([])
})

test.each<[string, (response: ServerResponse) => void]>([
  ['is not JSON', (response) => response.end('<html>')],
  ['is not a list', json({ id: 'A.One' })],
  ['has more than 4 MB', (response) => response.end(`["${'x'.repeat(5_000_000)}"]`)],
  [
    'answers without an end',
    (response) => {
      const more = () => void (response.destroyed || response.write(' '.repeat(65_536), more))
      more()
    },
  ],
  ['nests a million lists', (response) => response.end('['.repeat(1_000_000))],
  [
    'is cut off',
    (response) =>
      void response.writeHead(200, { 'Content-Length': 100 }).write('[', () => response.destroy()),
  ],
  ['redirects', (response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()],
  ['closes the connection', (response) => response.destroy()],
])('a server that %s is updates_unavailable', async (_what, answer) => {
  const { port } = await asked(answer)
  const error = await port.modUpdates().catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    failure: { kind: 'updates_unavailable', sentence: expect.stringContaining('127.0.0.1') },
  })
})

test.each<[string, (response: ServerResponse) => void]>([
  ['never answers', () => undefined],
  ['begins an answer and stops', (response) => void response.write('[')],
])('a server that %s is updates_unavailable after the time limit', async (_what, answer) => {
  const url = await standIn(answer)
  const updates = lookForUpdates({ url, fetch: globalThis.fetch, monotonic: () => 0, within: 50 })
  await expect(updates.look([])).rejects.toMatchObject({ failure: { kind: 'updates_unavailable' } })
})

test('entries with another shape, an address that is not of the web, or a version that is not newer are left out', async () => {
  const { port } = await asked(
    json([
      null,
      { id: 'A.One' },
      update('A.One', '9.0.0', 'javascript:alert(1)'),
      update('A.Two', 'new'),
      update('A.Two', '1.0.0'),
      update('B.Unknown', '1.0.0'),
    ]),
  )
  expect(await port.modUpdates()).toEqual([])
})
