/** The answer to a deletion that is not on the disk (docs/keys-and-records.md). */
import { expect, onTestFinished, test } from 'vitest'
import { askWithKey } from '../../contract/request.ts'
import { memoryRecords } from '../../records/memory-records.ts'
import { nodeServer } from './node-server.ts'

const inMemory = async () => 'memory' as const
const roles = {
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ id: '7', roles: [{ id: '8', scopes: ['chat'] }] }),
}

test.each([
  ['DELETE', '/keys?id=abc', {}, 'Key abc is revoked'],
  ['DELETE', '/webhooks?id=abc', {}, 'Webhook abc is deleted'],
  ['DELETE', '/discord/servers?id=7', {}, 'Discord server 7 is no longer bound'],
  ['PATCH', '/discord/servers', roles, 'The roles of Discord server 7 are set'],
] as const)(
  '%s %s that reached only memory answers 200 with "stored":"memory" and a warning',
  async (method, path, init, done) => {
    const server = await nodeServer({
      server: {
        records: {
          ...memoryRecords(),
          revokeKey: inMemory,
          deleteWebhook: inMemory,
          unbindDiscordServer: inMemory,
          setDiscordRoles: inMemory,
        },
      },
    })
    onTestFinished(() => server.stop())
    const answer = await askWithKey(server, method, path, init)
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        success: true,
        message: `${done}. It is stored in memory only: farmgate cannot write to DATA_DIR, so make room or fix the disk before it restarts`,
        stored: 'memory',
      },
    ])
  },
)
