/** The origin's side of calls: makes them at the game, within bounds, and sends what comes of it. */
import * as v from 'valibot'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { GameError, type GameFailure } from '../../handlers/game-error.ts'
import { stringifyJson } from '../../handlers/json.ts'
import type { Log } from '../log.ts'
import { callOf, isMethod, type Method } from './calls.ts'
import { type EdgeFrame, frameText } from './protocol.ts'

/** Calls under way at once; more are refused at once, so that no edge can pile them up here. */
const mostCalls = 256

export interface Answering {
  call(frame: Extract<EdgeFrame, { type: 'call' }>): void
  /** Nobody waits any more: what comes of the call is not sent. */
  cancel(id: number): void
  /** The link is gone. */
  stop(): void
}

export function answering(game: GameBridge, send: (text: string) => void, log: Log): Answering {
  /** Deadlines of the calls under way. */
  const underWay = new Map<number, NodeJS.Timeout>()
  const forget = (id: number): boolean => {
    clearTimeout(underWay.get(id))
    return underWay.delete(id)
  }
  const fail = (id: number, failure: GameFailure) => send(frameText({ type: 'failure', id, failure }))

  return {
    call({ id, method, args }) {
      if (underWay.has(id)) return
      if (!isMethod(method)) return fail(id, { kind: 'unsupported', what: 'do that: its farmgate is older' })
      if (underWay.size >= mostCalls) return fail(id, { kind: 'unavailable' })
      const made = perform(game, method, args)
      underWay.set(
        id,
        setTimeout(() => forget(id), callOf(method).within),
      )
      made.then(
        (result) => {
          if (forget(id)) send(frameText({ type: 'answer', id }, result && stringifyJson(result.value)))
        },
        (error: unknown) => {
          if (!(error instanceof GameError))
            log.error({ method, cause: error instanceof Error ? error.stack : String(error) }, 'call failed')
          if (forget(id))
            fail(
              id,
              error instanceof GameError ? error.failure : { kind: 'bad_response', detail: 'see the log' },
            )
        },
      )
    },
    cancel: (id) => void forget(id),
    stop() {
      for (const id of [...underWay.keys()]) forget(id)
    },
  }
}

/** @returns undefined where there is nothing to tell but that it is done */
async function perform<M extends Method>(
  game: GameBridge,
  method: M,
  raw: unknown,
): Promise<{ readonly value: unknown } | undefined> {
  const call = callOf(method)
  const parsed = v.safeParse(call.args, raw)
  if (!parsed.success) throw new GameError({ kind: 'bad_response', detail: `arguments of ${method}` })
  const value = await call.perform(game, parsed.output)
  return value === undefined ? undefined : { value }
}
