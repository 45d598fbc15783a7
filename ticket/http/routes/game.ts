import { HttpProblem, problem } from './problems.ts'
import type { Route } from './route.ts'

/**
 * Repairs the installed game files to the installed version; answers when that has ended. Unlike the
 * existing sidecar it accepts no other directory than GAME_DIR.
 */
export const validateGame: Route = {
  method: 'POST',
  paths: ['/game/validate'],
  summary: 'Repairs the installed game files',
  example: {
    status: 'complete',
    detail: null,
    target_dir: '/data/game',
    files_repaired: 1,
    files_downloaded: 0,
    files_unchanged: 2110,
    started_at: '2026-11-21T12:00:00.000Z',
    finished_at: '2026-11-21T12:01:00.000Z',
  },
  isBodyless: true,
  async handle({ query }, { platform, gameDir }) {
    if ((query('target_dir') ?? gameDir) !== gameDir)
      throw new HttpProblem(problem(400, 'invalid_target_dir', 'target_dir may only be GAME_DIR'))
    const { phase, detail, files, startedAt, finishedAt } = await platform.repairGame()
    return {
      status: 200,
      body: {
        status: phase,
        detail,
        target_dir: gameDir,
        files_repaired: files?.repaired ?? null,
        files_downloaded: files?.downloaded ?? null,
        files_unchanged: files?.unchanged ?? null,
        started_at: new Date(startedAt).toISOString(),
        finished_at: new Date(finishedAt).toISOString(),
      },
    }
  },
}

/**
 * State of the background download of `serve`. The game server's start script reads it with sed, so the JSON is compact
 * and `status` is the first field and occurs once.
 */
export const validateStatus: Route = {
  method: 'GET',
  paths: ['/game/validate-status'],
  summary: 'The state of the background download',
  example: { status: 'disabled', detail: null, started_at: null, finished_at: null },
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
