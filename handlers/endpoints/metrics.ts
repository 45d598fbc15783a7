import * as v from 'valibot'
import { streamEndpoint } from '../endpoint.ts'
import { Stream } from '../stream.ts'

export const metrics = streamEndpoint({
  method: 'GET',
  path: '/metrics',
  access: 'key',
  scope: 'read',
  tag: 'Server',
  operationId: 'getMetrics',
  summary: 'Prometheus metrics',
  parameters: {},
  stream: { type: 'text/plain', description: 'Prometheus text', schema: v.string() },
  problems: [],
  handle: async (_request, { metrics }) => new Stream(await metrics.text(), metrics.contentType),
})
