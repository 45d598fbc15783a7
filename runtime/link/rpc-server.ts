/**
 * The server of the link's calls, at the farm: makes each call to the game and sends back its result or failure
 * (docs/link.md, "Calls"). Arguments are checked again here, against the same bounds as over HTTP, so that an attacker
 * in control of the edge can do no more to the game than the HTTP API allows.
 */
import * as v from 'valibot'
import { type AbilityName, abilities, ask, isAbility } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { GameError, type GameFailure } from '../../handlers/game-error.ts'
import { stringifyJson } from '../../handlers/json.ts'
import type { Log } from '../log.ts'
import { callBudget, type EdgeFrame, frameText } from './protocol.ts'

/** Maximum of calls under way; further ones fail at once, so that an edge cannot use up the farm's memory. */
const maxCalls = 256

export interface RpcServer {
  call(frame: Extract<EdgeFrame, { type: 'call' }>): void
  /** The edge no longer waits for a call: its result is not sent. */
  cancel(id: number): void
  /** The link is lost: results of calls under way are not sent. The calls themselves go on, so writes may still happen. */
  stop(): void
}

/** @param send sends one text frame to the edge */
export function rpcServer(game: GameBridge, send: (text: string) => void, log: Log): RpcServer {
  /** The timeouts of the calls under way, by id. */
  const underWay = new Map<number, NodeJS.Timeout>()
  const forget = (id: number): boolean => {
    clearTimeout(underWay.get(id))
    return underWay.delete(id)
  }
  const fail = (id: number, failure: GameFailure) => send(frameText({ type: 'failure', id, failure }))

  /** The failure to send to the edge. An error that is not a `GameError` is a bug: its cause goes to the log only. */
  const failureOf = (method: AbilityName, error: unknown): GameFailure => {
    if (error instanceof GameError) return error.failure
    log.error(
      { method, cause: error instanceof Error ? error.stack : String(error) },
      'a call from the edge failed by a bug',
    )
    return { kind: 'bad_response', detail: 'see the log', write: abilities[method].effect === 'write' }
  }

  return {
    call({ id, method, args }) {
      if (underWay.has(id)) return
      if (!isAbility(method))
        return fail(id, { kind: 'unsupported', what: 'do that: its farmgate is older than the edge' })
      if (underWay.size >= maxCalls) return fail(id, { kind: 'unavailable' })
      const made = perform(game, method, args)
      underWay.set(
        id,
        setTimeout(() => forget(id), callBudget(method)),
      )
      made.then(
        (result) => {
          const body = result === undefined ? undefined : stringifyJson(result)
          if (forget(id)) send(frameText({ type: 'answer', id }, body))
        },
        (error: unknown) => {
          const failure = failureOf(method, error)
          if (forget(id)) fail(id, failure)
        },
      )
    },
    cancel: (id) => void forget(id),
    stop() {
      for (const id of [...underWay.keys()]) forget(id)
    },
  }
}

/** @throws {GameError} invalid_argument, without a call to the game; otherwise the game's failure */
async function perform<Name extends AbilityName>(game: GameBridge, method: Name, raw: unknown) {
  const args = v.safeParse(abilities[method].args, raw)
  if (!args.success) throw new GameError({ kind: 'invalid_argument', sentence: args.issues[0].message })
  return ask(game, method, args.output)
}
