/** A farm's object that another instance of a cluster may own, which may have ended or may stand still. */
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { Farm } from './ask-farm.ts'

/** Milliseconds without an answer after which the owner is asked for a sign of life, repeatedly. */
const askAfter = 4000
/** Milliseconds for a sign of life. With `askAfter`, a client has an answer within ten seconds. */
const signWithin = 5000

const silent = () => new Error('the owner of the object does not answer')

/** @returns the object. A request to it fails when its owner gives no sign of life; a write is then not even sent. */
export function watchedFarm(object: Farm & { alive(): Promise<void> }): Farm {
  return {
    async fetch(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        await withTimeLimit(signWithin, object.alive(), silent).catch((error: unknown) => {
          // The platform's own mark of a request that was not delivered.
          throw Object.assign(new Error(String(error)), { overloaded: true })
        })
      const answer = object.fetch(request)
      const ended = answer.then(
        () => undefined,
        () => undefined,
      )
      const isSlow = () =>
        withTimeLimit(askAfter, ended, silent).then(
          () => false,
          () => true,
        )
      while (await isSlow()) await withTimeLimit(signWithin, Promise.race([ended, object.alive()]), silent)
      return answer
    },
  }
}
