import type { GameBridge } from '../handlers/game-bridge.ts'

/** Bridges that poll their game notice a change within this time; reads in between are answered from memory. */
const look = 1000

/**
 * Waits for the game to answer `probe`: asked at once, after every event of the game and every second.
 * @param milliseconds at most
 * @returns undefined when the time is over
 */
export async function until<Found>(
  game: Pick<GameBridge, 'subscribe'>,
  milliseconds: number,
  probe: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const atOnce = await probe()
  if (atOnce !== undefined) return atOnce
  const { promise, resolve, reject } = Promise.withResolvers<Found | undefined>()
  let looking: Promise<void> = Promise.resolve()
  const lookAgain = () => {
    looking = looking.then(probe).then((found) => {
      if (found !== undefined) resolve(found)
    }, reject)
  }
  const unsubscribe = game.subscribe(lookAgain)
  const ticking = setInterval(lookAgain, look)
  const limit = setTimeout(resolve, milliseconds)
  try {
    return await promise
  } finally {
    unsubscribe()
    clearInterval(ticking)
    clearTimeout(limit)
  }
}
