/**
 * The server of the link's calls, at the farm: makes each call at the game and sends back what came of it
 * (docs/link.md, "Calls"). What the edge sends is judged anew here, by the same bounds as over HTTP: an edge
 * that was broken into can ask no more of the game than the HTTP API allows.
 */
import * as v from 'valibot'
import { type AbilityName, abilities, ask, isAbility } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { GameError, type GameFailure } from '../../handlers/game-error.ts'
import { stringifyJson } from '../../handlers/json.ts'
import type { Log } from '../log.ts'
import { callBudget, type EdgeFrame, frameText } from './protocol.ts'

/** Calls under way at once; more are refused at once, so that no edge can pile them up here. */
const maxCalls = 256

export interface RpcServer {
  call(frame: Extract<EdgeFrame, { type: 'call' }>): void
  /** Nobody waits any more: what comes of the call is not sent. */
  cancel(id: number): void
  /** The link is gone: what comes of the calls under way is not sent. The game is not told, so writes happen. */
  stop(): void
}

/** @param send one frame of text to the edge */
export function rpcServer(game: GameBridge, send: (text: string) => void, log: Log): RpcServer {
  /** The limits of the calls under way, by id. */
  const underWay = new Map<number, NodeJS.Timeout>()
  const forget = (id: number): boolean => {
    clearTimeout(underWay.get(id))
    return underWay.delete(id)
  }
  const fail = (id: number, failure: GameFailure) => send(frameText({ type: 'failure', id, failure }))

  /** How a call ended, for the edge; what nobody foresaw is told without its cause, which the log has. */
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

/** @throws {GameError} invalid_argument, before the game is asked; then whatever the game fails with */
async function perform<Name extends AbilityName>(game: GameBridge, method: Name, raw: unknown) {
  const args = v.safeParse(abilities[method].args, raw)
  if (!args.success) throw new GameError({ kind: 'invalid_argument', sentence: args.issues[0].message })
  return ask(game, method, args.output)
}
