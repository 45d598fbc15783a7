/** The game server's own API, as farmgate reaches it from here. */
import { ask } from './ask.ts'
import { answered, broken, type Checks } from './check.ts'

export async function gameServerChecks(url: string, key: string, signal: AbortSignal): Promise<Checks> {
  const { host } = new URL(url)
  const asked = await ask(`${url}/players`, { key, signal })
  if ('cause' in asked)
    return broken(
      'game server',
      `${host} does not answer: ${asked.cause}`,
      'Start it with API_ENABLED=true, and check GAME_API_URL.',
    )
  if (asked.status === 401 || asked.status === 403)
    return broken(
      'game server',
      `${host} refuses GAME_API_KEY`,
      "Set GAME_API_KEY to the API_KEY of the game server's own environment.",
    )
  if (asked.status !== 200)
    return broken(
      'game server',
      `${host} answers HTTP ${asked.status} to /players`,
      'Check GAME_API_URL, and the version of its image.',
    )
  const { milliseconds } = asked
  return answered(
    'game server',
    `${host} answers after ${milliseconds} ms, and accepts GAME_API_KEY`,
    milliseconds,
  )
}
