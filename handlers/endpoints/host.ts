import { endpoint } from '../endpoint.ts'
import { gameHostRecord } from '../game-host-record.ts'

export const host = endpoint('GET /host', {
  at: 'farm',
  scope: 'read',
  tag: 'Host',
  operationId: 'getHost',
  summary:
    "The game's process: its state, what it and the machine use, the current operation, and the watchdog",
  result: gameHostRecord,
  example: {
    driver: 'docker',
    state: 'running',
    since: '2026-11-21T05:00:12.000Z',
    restartsToday: 1,
    can: { console: true, log: true },
    watchdog: { mode: 'notify', restartsThisHour: 0 },
    resources: {
      machine: {
        cpuPercent: 12.5,
        memory: { used: 3_221_225_472, total: 8_589_934_592 },
        disks: [{ path: '/data', used: 21_474_836_480, total: 42_949_672_960 }],
      },
      game: { cpuPercent: 8.1, memory: { used: 1_073_741_824, limit: 4_294_967_296 } },
    },
    operation: null,
  },
  problems: ['unsupported'],
  handle: (_request, { host }) => host.host(),
})
