import type { GameBridge } from '../../handlers/game-bridge.ts'

/** Milliseconds between two probes without an event: some changes, such as those of farmhands, make no event. */
const probeInterval = 1000

interface Watched {
  /** Each ends the wait at once, as if the time were over: the process stops, or the client has disconnected. */
  readonly over?: readonly AbortSignal[]
  /** Called every second, after every event and before the end; the wait fails with what it throws. */
  readonly check?: () => void
}

/**
 * Waits until `probe` returns a value. It is called at once, after every event of the game, and every second.
 * @param milliseconds maximum of the wait
 * @returns undefined when the time is over
 */
export async function waitUntil<Found>(
  game: Pick<GameBridge, 'subscribe'>,
  milliseconds: number,
  probe: () => Promise<Found | undefined>,
  { over = [], check = () => undefined }: Watched = {},
): Promise<Found | undefined> {
  const atOnce = await probe()
  if (atOnce !== undefined || over.some(({ aborted }) => aborted)) return atOnce
  const { promise, resolve, reject } = Promise.withResolvers<Found | undefined>()
  let probing: Promise<void> = Promise.resolve()
  const probeAgain = () => {
    try {
      check()
    } catch (error) {
      reject(error)
      return
    }
    probing = probing.then(probe).then((found) => {
      if (found !== undefined) resolve(found)
    }, reject)
  }
  const unsubscribe = game.subscribe(probeAgain)
  const ticking = setInterval(probeAgain, probeInterval)
  const limit = setTimeout(resolve, milliseconds)
  const giveUp = () => resolve(undefined)
  for (const signal of over) signal.addEventListener('abort', giveUp)
  try {
    const found = await promise
    check()
    return found
  } finally {
    unsubscribe()
    clearInterval(ticking)
    clearTimeout(limit)
    for (const signal of over) signal.removeEventListener('abort', giveUp)
  }
}
