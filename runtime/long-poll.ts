import type { GameBridge } from '../handlers/game-bridge.ts'

/** Bridges that poll their game notice a change within this time; reads in between are answered from memory. */
const lookEvery = 1000

/**
 * Waits for the game to answer `probe`: asked at once, after every event of the game and every second.
 * @param milliseconds at most
 * @param over each ends the wait at once, as if the time were over: the process stops, the client has left
 * @returns undefined when the time is over
 */
export async function waitUntil<Found>(
  game: Pick<GameBridge, 'subscribe'>,
  milliseconds: number,
  probe: () => Promise<Found | undefined>,
  over: readonly AbortSignal[] = [],
): Promise<Found | undefined> {
  const atOnce = await probe()
  if (atOnce !== undefined || over.some(({ aborted }) => aborted)) return atOnce
  const { promise, resolve, reject } = Promise.withResolvers<Found | undefined>()
  let looking: Promise<void> = Promise.resolve()
  const lookAgain = () => {
    looking = looking.then(probe).then((found) => {
      if (found !== undefined) resolve(found)
    }, reject)
  }
  const unsubscribe = game.subscribe(lookAgain)
  const ticking = setInterval(lookAgain, lookEvery)
  const limit = setTimeout(resolve, milliseconds)
  const giveUp = () => resolve(undefined)
  for (const signal of over) signal.addEventListener('abort', giveUp)
  try {
    return await promise
  } finally {
    unsubscribe()
    clearInterval(ticking)
    clearTimeout(limit)
    for (const signal of over) signal.removeEventListener('abort', giveUp)
  }
}
