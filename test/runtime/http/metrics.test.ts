import { expect, test } from 'vitest'
import { neverSeen } from '../../../handlers/game-records.ts'
import { createMetrics, measureClients } from '../../../runtime/http/metrics.ts'

const health = { gameAvailable: true, isFrozen: false, snapshotAt: 1000, tickCount: 1, pendingActions: 0 }
const started = (gameAvailable = true) => {
  const game = {
    health: () => ({ ...health, gameAvailable }),
    status: async () => ({ ...neverSeen, playerCount: 3 }),
  }
  const metrics = createMetrics(game, () => 61_000)
  measureClients(metrics.registry, () => 7)
  return metrics
}
const series = async ({ registry }: ReturnType<typeof createMetrics>) =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('the game, its players and the clients of the chat are counted at the time of the request', async () => {
  expect(await series(started())).toEqual(
    expect.arrayContaining([
      'farmgate_game_available 1',
      'farmgate_game_frozen 0',
      'farmgate_game_snapshot_age_seconds 60',
      'farmgate_day_transition_complete 0',
      'farmgate_players 3',
      'farmgate_ws_clients 7',
    ]),
  )
  expect(await series(started(false))).toContain('farmgate_game_available 0')
})

test("the age of the snapshot is NaN before the game's first one", async () => {
  const game = {
    health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }),
    status: async () => neverSeen,
  }
  const metrics = createMetrics(game, () => 61_000)
  expect(await series(metrics)).toContain('farmgate_game_snapshot_age_seconds Nan')
})

test('requests are counted by route and status, and their time by route', async () => {
  const metrics = started()
  const route = metrics.route('GET', '/players')
  route.observe(200, 0.003)
  route.observe(200, 0.2)
  route.observe(503, 20)
  expect(await series(metrics)).toEqual(
    expect.arrayContaining([
      'farmgate_http_requests_total{method="GET",path="/players",status="200"} 2',
      'farmgate_http_requests_total{method="GET",path="/players",status="503"} 1',
      'farmgate_http_request_duration_seconds_bucket{le="0.001",method="GET",path="/players"} 0',
      'farmgate_http_request_duration_seconds_bucket{le="0.005",method="GET",path="/players"} 1',
      'farmgate_http_request_duration_seconds_bucket{le="0.025",method="GET",path="/players"} 1',
      'farmgate_http_request_duration_seconds_bucket{le="0.1",method="GET",path="/players"} 1',
      'farmgate_http_request_duration_seconds_bucket{le="0.5",method="GET",path="/players"} 2',
      'farmgate_http_request_duration_seconds_bucket{le="15",method="GET",path="/players"} 2',
      'farmgate_http_request_duration_seconds_bucket{le="+Inf",method="GET",path="/players"} 3',
      'farmgate_http_request_duration_seconds_count{method="GET",path="/players"} 3',
    ]),
  )
})

test('a refusal is counted by its limit, or by the code of its error', async () => {
  const metrics = started()
  metrics.rateLimited.inc({ limit: 'reads' })
  metrics.failedKeys.inc()
  metrics.chat.linesRelayed.inc()
  metrics.chat.linesSaid.inc()
  metrics.chat.linesRefused.inc({ code: 'rate_limited' })
  metrics.chat.closedSlow.inc()
  expect(await series(metrics)).toEqual(
    expect.arrayContaining([
      'farmgate_rate_limited_total{limit="reads"} 1',
      'farmgate_failed_keys_total 1',
      'farmgate_chat_lines_relayed_total 1',
      'farmgate_chat_lines_said_total 1',
      'farmgate_chat_lines_refused_total{code="rate_limited"} 1',
      'farmgate_ws_closed_slow_total 1',
    ]),
  )
})

test('every series has a description', async () => {
  const text = await started().registry.metrics()
  const helps = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
  expect(helps.length).toBeGreaterThan(9)
  for (const [, name, help] of helps) expect([name, help]).toEqual([name, expect.stringMatching(/\w{3}/)])
})
