import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { maxLogLines } from '../host.ts'
import { logLine } from '../host-record.ts'
import { integer, optional } from '../parameter.ts'

export const hostLog = endpoint('GET /host/log', {
  at: 'farm',
  scope: 'admin',
  tag: 'Host',
  operationId: 'getHostLog',
  summary: "The last lines of the game's log, oldest first, at most 256 KiB",
  parameters: {
    lines: optional(
      integer(1, maxLogLines, { description: 'How many lines; 200 unless given', example: '200' }),
    ),
  },
  result: v.object({ lines: v.array(logLine) }),
  example: { lines: [{ at: '2026-11-21T12:00:00.000Z', text: '[SMAPI] Loaded 12 mods' }] },
  problems: ['host_unavailable', 'unsupported'],
  async handle({ query: { lines = 200 } }, { host }) {
    return { lines: [...(await host.hostLog(lines))] }
  },
})
