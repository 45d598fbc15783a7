import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { stats as record } from '../game-records.ts'

export const stats = endpoint('GET /stats', {
  scope: 'read',
  tag: 'Diagnostics',
  operationId: 'getStats',
  summary: docs("The game process: ticks, memory, collections and its thread's waiting time"),
  result: record,
  example: docs({
    fps: 0,
    tps: 60,
    targetTps: 60,
    avgTickMs: 1.73,
    memoryMb: 412.6,
    gcGen0: 90,
    gcGen1: 12,
    gcGen2: 3,
    pendingActions: 0,
    gameThreadWaitMs: 8.21,
    startedAtUtc: '2026-11-21T10:00:00.000Z',
    uptimeSeconds: 7200,
  }),
  problems: ['unsupported'],
  handle: (_request, { game }) => game.stats(),
})
