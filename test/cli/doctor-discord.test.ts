/** The doctor's checks of webhooks and Discord commands. */
import { expect, test } from 'vitest'
import { ownServer } from '../contract/shared-server.ts'
import { discordKey } from '../discord/signed.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { asCheck, doctor, strong } from './doctor.ts'
import { at, type Variables } from './farmgate.ts'
import { answering, farmWith } from './faulty.ts'

const discord = { publicKey: discordKey, apiUrl: 'http://127.0.0.1:1/api/v10' }

const kept = { backups: [], state: { saves: 'mounted', lastVerifiedAt: new Date().toISOString() } }

async function bind({ records }: Awaited<ReturnType<typeof ownServer>>): Promise<void> {
  const { code } = await records.of('local').makeDiscordCode()
  await records.of('local').bindDiscordServer({ code, serverId: '1' })
}

/** The doctor's checks of a farm under one name. */
const checksOf = async (name: string, variables: Variables) => (await doctor(variables)).of(name)

test('a farm without Discord has no check of it', async () => {
  expect(await checksOf('Discord', at(await ownServer(nodeServer)))).toEqual([])
})

test('commands without a bound Discord server are reported with the fix, and pass once one is bound', async () => {
  const server = await ownServer((options) => nodeServer({ ...options, discord }))
  expect(await checksOf('Discord', at(server))).toEqual([
    asCheck([
      'Discord',
      'warning',
      /no Discord server is bound/,
      'Register the commands: farmgate discord register. Then bind a server: farmgate discord code',
    ]),
  ])
  await bind(server)
  expect(await checksOf('Discord', at(server))).toEqual([
    { check: 'Discord', state: 'ok', found: 'bound Discord servers: 1' },
  ])
})

test('a bound Discord server without DISCORD_PUBLIC_KEY is reported with the fix', async () => {
  const server = await ownServer(nodeServer)
  await bind(server)
  expect(await checksOf('Discord', at(server))).toEqual([
    asCheck([
      'Discord',
      'warning',
      /^bound Discord servers: 1, but DISCORD_PUBLIC_KEY is not set here/,
      'Set it to the Public Key of the application, 64 hexadecimal digits, and restart or deploy.',
    ]),
  ])
})

test('a Discord server bound to a farm with an edge is right there: the edge receives its commands', async () => {
  const answers = {
    '/metrics': { body: 'farmgate_link_up 1\n' },
    '/backups': { body: kept },
    '/webhooks': { body: { webhooks: [] } },
    '/discord/servers': { body: { isSetUp: false, servers: [{ id: '1' }] } },
  }
  const FARMGATE_URL = await answering(farmWith({}, answers))
  expect(await checksOf('Discord', { FARMGATE_URL, FARMGATE_KEY: strong })).toEqual([])
})

test('a malformed public key is reported with its fix', async () => {
  const { faults } = await doctor({ API_KEY: strong, API_PORT: '2', DISCORD_PUBLIC_KEY: 'abc' })
  expect(faults).toContainEqual(
    asCheck([
      'DISCORD_PUBLIC_KEY',
      'broken',
      /public key of the application, 64 hexadecimal digits/,
      'http://127.0.0.1:2/help/configuration has every variable.',
    ]),
  )
})

const off = { disabledAt: '2026-11-21T12:00:00.000Z' }
const untried = { state: 'waiting', tries: 0 }
const arrived = { state: 'delivered', tries: 1 }

/** The checks of webhooks, by the deliveries of each. */
const webhookChecks = async (webhooks: readonly object[], sent: Record<string, readonly object[]>) =>
  checksOf('webhooks', {
    FARMGATE_KEY: strong,
    FARMGATE_URL: await answering(
      farmWith(
        {},
        {
          '/backups': { body: kept },
          '/discord/servers': { body: { isSetUp: false, servers: [{ id: '1' }] } },
          '/webhooks': { body: { webhooks } },
          '/webhooks/deliveries': (_method, query) => ({
            body: { deliveries: sent[query.get('id') ?? ''] ?? [] },
          }),
        },
      ),
    ),
  })

test('webhooks whose last delivery arrived, or without any delivery, pass', async () => {
  const checks = await webhookChecks([{ id: 'a' }, { id: 'b' }], {
    a: [untried, arrived, { state: 'failed', tries: 9 }],
  })
  expect(checks).toEqual([{ check: 'webhooks', state: 'ok', found: '2, and what was sent last has arrived' }])
})

test.each([
  ['that was given up', [{ state: 'failed', tries: 9 }, arrived]],
  ['that is tried again', [untried, { state: 'waiting', tries: 2 }, arrived]],
  ['among so many that wait that none of the newest was tried', Array.from({ length: 100 }, () => untried)],
])(
  'a webhook whose last delivery is one %s is reported with the fix, and so is a disabled one',
  async (_what, sent) => {
    const webhooks = [{ id: 'a' }, { id: 'b', ...off }, { id: 'c' }]
    expect(
      await webhookChecks(webhooks, { a: sent, b: [{ state: 'failed', tries: 1 }], c: [arrived] }),
    ).toEqual([
      asCheck([
        'webhooks',
        'warning',
        /^1 of 3 are turned off/,
        'farmgate webhooks shows which; delete them, and add again those that you still want.',
      ]),
      asCheck([
        'webhooks',
        'warning',
        /^1 of 3 failed/,
        'farmgate webhooks shows their ids, and farmgate webhooks deliveries <id> the cause.',
      ]),
    ])
  },
)
