/** A farm's object that another instance of a cluster may own, which may have ended or may stand still. */
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { Farm } from './ask-farm.ts'

/** Milliseconds in which a request is answered, unless its endpoint may take longer. */
const answerWithin = 9_500
/** Milliseconds for a sign of life of the owner. Two of them, and the wait in between, fit into `answerWithin`. */
const signWithin = 4_000
/** Milliseconds between two signs of life that the owner of a longer call must give. */
const askEvery = 1_500

const silent = () => new Error('the owner of the object does not answer')

/**
 * @param isLong whether the endpoint may take longer than usual
 * @returns the object. A request to it fails within ten seconds when its owner does not answer, or stops giving signs
 * of life in a longer call; a write is not even sent to an owner that gives none
 */
export function watchedFarm(object: Farm & { alive(): Promise<void> }, isLong: boolean): Farm {
  return {
    async fetch(request) {
      let isSent = request.method === 'GET' || request.method === 'HEAD'
      const ask = async () => {
        if (!isSent) await withTimeLimit(signWithin, object.alive(), silent)
        isSent = true
        const answer = object.fetch(request)
        return isLong ? whileAlive(object, answer) : answer
      }
      try {
        return await (isLong ? ask() : withTimeLimit(answerWithin, ask(), silent))
      } catch (error) {
        // The platform's own mark of a request that was not delivered.
        throw isSent ? error : Object.assign(new Error(String(error)), { overloaded: true })
      }
    },
  }
}

/** @throws when the owner gives no sign of life before it has answered */
async function whileAlive<Answer>(
  object: { alive(): Promise<void> },
  answer: Promise<Answer>,
): Promise<Answer> {
  const ended = answer.then(
    () => undefined,
    () => undefined,
  )
  const isSlow = () =>
    withTimeLimit(askEvery, ended, silent).then(
      () => false,
      () => true,
    )
  while (await isSlow()) await withTimeLimit(signWithin, Promise.race([ended, object.alive()]), silent)
  return answer
}
