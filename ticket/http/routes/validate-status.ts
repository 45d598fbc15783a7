import type { Route } from './route.ts'

/**
 * State of the background download of `serve`. The game server's start script reads it with sed, so the JSON is compact
 * and `status` is the first field and occurs once.
 */
export const validateStatus: Route = {
  method: 'GET',
  paths: ['/game/validate-status'],
  handle(_request, { platform }) {
    const { phase, detail, startedAt, finishedAt } = platform.downloadStatus()
    const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())
    return {
      status: 200,
      body: {
        status: phase,
        detail: detail ?? null,
        started_at: time(startedAt),
        finished_at: time(finishedAt),
      },
    }
  },
}
