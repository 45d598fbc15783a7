/** Discord commands at an edge with several farms: the Worker finds the farm of each Discord server. */
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DiscordCode } from '../../client/index.ts'
import { ask, askWithKey, expectProblem, type Reply } from '../contract/request.ts'
import { discordKey, newId, sendCommand, sendSigned } from '../discord/signed.ts'
import { eventually } from '../wait.ts'
import { type Edge, startEdge } from './edge.ts'
import { fleetKey } from './edge-server.ts'
import { fleetFarm } from './linked-farm.ts'

const vars = { FLEET_KEY: fleetKey, DISCORD_PUBLIC_KEY: discordKey }
const byFleet = { Authorization: `Bearer ${fleetKey}` }
const manageGuild = '32'
const ping = '{"id":"1","application_id":"2","type":1,"version":1}'

const textOf = ({ status, json }: Reply): string => {
  expect(status).toBe(200)
  return (json as { readonly data: { readonly content: string } }).data.content
}

describe('an edge with a fleet and without a default farm', () => {
  let edge: Edge
  beforeAll(async () => {
    edge = await startEdge(inject('edgeBundle'), vars)
  })
  afterAll(() => edge.stop())

  /** A linked farm of the fleet, with one player. */
  async function aFarm(name: string, player: string) {
    const { url, apiKey, game, link } = await fleetFarm(edge.url, name)
    game.controls.join({ id: 31n, name: player })
    return {
      code: async () =>
        ((await askWithKey({ url, key: apiKey }, 'POST', '/discord/codes')).json as DiscordCode).code,
      offline: () => link.close(),
      remove: () => ask(edge, 'DELETE', `/farms/${name}`, { headers: byFleet }),
    }
  }
  const bind = async (guild: string, given: Readonly<Record<string, string>>) =>
    textOf(await sendCommand(edge, 'bind', { guild, permissions: manageGuild, given }))
  const players = async (guild: string) => textOf(await sendCommand(edge, 'players', { guild }))

  test('answers a PING, and 401 to requests that Discord has not signed', async () => {
    expect((await sendSigned(edge, ping)).text).toBe('{"type":1}')
    expectProblem(await sendSigned(edge, ping, { sent: `${ping} ` }), 401, 'unauthorized')
    expectProblem(await sendSigned(edge, 'x'.repeat(65 * 1024)), 413, 'payload_too_large')
    expectProblem(await sendSigned(edge, 'no JSON'), 400, 'malformed_request')
  })

  test('a Discord server uses the farm whose code it used last, with the name of the farm', async () => {
    const guild = newId()
    const [meadow, forest] = [await aFarm('meadow', 'Abby'), await aFarm('forest', 'Robin')]
    expect(await players(guild)).toContain('is not bound')
    expect(await bind(guild, { code: await meadow.code() })).toContain('Name the farm too')
    expect(await bind(guild, { code: await meadow.code(), farm: 'forest' })).toContain('wrong, was used')
    expect(await players(guild)).toContain('is not bound')
    expect(await bind(guild, { code: await meadow.code(), farm: 'meadow' })).toContain('is bound')
    expect(await players(guild)).toContain('Abby')
    expect(await bind(guild, { code: await forest.code(), farm: 'forest' })).toContain('is bound')
    expect(await players(guild)).toContain('Robin')
    await forest.remove()
    expect(await players(guild)).toContain('is not bound')
  })

  test('a farm whose machine is not linked is reported as unreachable', async () => {
    const guild = newId()
    const valley = await aFarm('valley', 'Sam')
    expect(await bind(guild, { code: await valley.code(), farm: 'valley' })).toContain('is bound')
    await valley.offline()
    await eventually(async () => expect(await players(guild)).toContain('not reachable'))
  })

  test('an unknown farm is answered as a wrong code, for any name', async () => {
    for (const farm of ['nowhere', 'No Where', '../meadow'])
      expect(await bind(newId(), { code: 'x', farm })).toMatch(/wrong, was used|Name the farm too/)
  })
})

test('unsigned requests count against their address, signed ones do not', async () => {
  const edge = await startEdge(inject('edgeBundle'), vars, undefined, 3)
  onTestFinished(() => edge.stop())
  for (let sent = 0; sent < 6; sent += 1) expect((await sendSigned(edge, ping)).status).toBe(200)
  await eventually(async () => (await sendSigned(edge, ping, { sent: '{}' })).status === 429)
  expect((await sendSigned(edge, ping)).status).toBe(200)
})
