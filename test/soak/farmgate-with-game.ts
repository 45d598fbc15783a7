/** farmgate in front of the stand-in game server, each a separate process, as most phases start. */
import { randomBytes } from 'node:crypto'
import { type Subject, startSubject } from '../../bench/measure.ts'
import { type Farmgate, startFarmgate } from './farmgate.ts'

/**
 * @param env variables in addition to the key and the game @param preload a module that farmgate loads before
 * everything else @returns with the one key of both
 */
export async function startFarmgateWithGame(
  env: Readonly<Record<string, string>>,
  preload?: URL,
): Promise<{ readonly key: string; readonly game: Subject; readonly farmgate: Farmgate }> {
  const key = randomBytes(32).toString('base64')
  const game = await startSubject(new URL('subjects/game.ts', import.meta.url), key)
  const farmgate = await startFarmgate(
    { API_KEY: key, GAME_API_URL: await game.call<string>('url'), GAME_API_KEY: key, ...env },
    preload,
  )
  return { key, game, farmgate }
}
