import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { webhookRecord } from '../webhook-record.ts'

export const webhooks = endpoint('GET /webhooks', {
  at: 'farm',
  scope: 'admin',
  tag: 'Webhooks',
  operationId: 'getWebhooks',
  summary: 'The webhooks, each by the origin of its URL, without their secrets',
  result: v.object({ webhooks: v.array(webhookRecord) }),
  example: {
    webhooks: [
      {
        id: '6f1c2a9b03de',
        name: 'Farm channel',
        origin: 'https://discord.com',
        events: ['player.joined', 'player.left', 'chat.message'],
        format: 'discord',
        createdAt: '2026-11-21T12:00:00.000Z',
        waiting: 0,
      },
    ],
  },
  handle: async (_request, { records }) => ({ webhooks: [...(await records.webhooks())] }),
})
