import * as v from 'valibot'
import { docs } from '../described.ts'
import { streamEndpoint } from '../endpoint.ts'
import { Stream } from '../stream.ts'

export const metrics = streamEndpoint('GET /metrics', {
  scope: 'read',
  tag: 'Server',
  operationId: 'getMetrics',
  summary: docs('Prometheus metrics'),
  stream: { type: 'text/plain', description: docs('Prometheus text'), schema: v.string() },
  handle: async (_request, { metrics }) => new Stream(await metrics.text(), metrics.contentType),
})
