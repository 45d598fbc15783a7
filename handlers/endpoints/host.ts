import { endpoint } from '../endpoint.ts'
import { gameHostRecord } from '../game-host-record.ts'

export const host = endpoint('GET /host', {
  at: 'farm',
  scope: 'read',
  tag: 'Host',
  operationId: 'getHost',
  summary: "The game's process: its state, the current operation, and the watchdog",
  result: gameHostRecord,
  example: {
    driver: 'docker',
    state: 'running',
    since: '2026-11-21T05:00:12.000Z',
    restartsToday: 1,
    can: { console: true, log: true },
    watchdog: { mode: 'notify', restartsThisHour: 0 },
    operation: null,
  },
  problems: ['unsupported'],
  handle: (_request, { host }) => host.host(),
})
