/**
 * The server of the link's calls, at the farm: makes each call to the game and sends back its result or failure
 * (docs/architecture.md, "Calls"). Arguments are checked again here, against the same bounds as over HTTP, so that an attacker
 * in control of the edge can do no more to the game than the HTTP API allows.
 */

import * as v from 'valibot'
import type { AbilitiesOf, Callable } from '../../handlers/ability.ts'
import { type BackupAbilityName, backupAbilities, isBackupAbility } from '../../handlers/backup-abilities.ts'
import type { Backups } from '../../handlers/backups.ts'
import { FarmError, type FarmFailure } from '../../handlers/farm-error.ts'
import { type AbilityName, abilities, isAbility } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type RecordAbilityName, recordAbilities } from '../../handlers/record-abilities.ts'
import type { Records } from '../../handlers/records.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Log } from '../../lib/log.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import { type CallName, isCallName, linkCalls } from './calls.ts'
import type { CallKind, EdgeLimits } from './edge-limits.ts'
import { type EdgeFrame, frameText, maxFarmFrame } from './protocol.ts'

/** The calls of one link. */
export interface RpcServer {
  /** @returns false when the call was refused, or has the id of one under way */
  call(frame: Extract<EdgeFrame, { type: 'call' }>): boolean
  /**
   * The edge no longer waits for a call: its result is not sent. The call still counts until the game has ended it.
   * @returns false when no such call is under way
   */
  cancel(id: number): boolean
  /** The link is lost: results of calls under way are not sent. The calls themselves go on, so writes may still happen. */
  stop(): void
}

interface Farm {
  readonly game: GameBridge
  readonly records: Records
  readonly backups: Backups
}

interface RpcServerParts extends Farm {
  readonly limits: EdgeLimits
  readonly log: Pick<Log, 'error'>
  /** Milliseconds, never running backwards. */
  readonly monotonic: () => number
}

/** @returns makes the server of a link; its parameter sends one text frame to the edge */
export function rpcServer({ game, records, backups, limits, log, monotonic }: RpcServerParts) {
  /** A bug in the same ability is logged once a minute. */
  const bugs = new RateLimit(1, monotonic)
  /** The failure to send to the edge. An error that is not a `FarmError` is a bug: its cause goes to the log only. */
  const failureOf = (method: CallName, error: unknown): FarmFailure => {
    if (error instanceof FarmError) return error.failure
    if (bugs.take(method) === 0) {
      const cause = error instanceof Error ? error.stack : String(error)
      log.error({ method, cause }, 'a call from the edge failed by a bug')
    }
    return badResponse(method, 'see the log')
  }

  return (send: (text: string) => void): RpcServer => {
    /** The calls that the game has not ended, by id, and whether the edge waits for them. */
    const underWay = new Map<number, { isAwaited: boolean }>()
    const fail = (id: number, failure: FarmFailure) => send(frameText({ type: 'failure', id, failure }))
    /** @returns whether the edge waits for the call that has ended */
    const ended = (id: number): boolean => {
      limits.callEnded()
      const isAwaited = underWay.get(id)?.isAwaited === true
      underWay.delete(id)
      return isAwaited
    }
    const giveUp = (id: number): boolean => {
      const call = underWay.get(id)
      if (call === undefined) return false
      call.isAwaited = false
      return true
    }
    return {
      call({ id, method, args }) {
        if (underWay.has(id)) return false
        if (!isCallName(method)) {
          fail(id, {
            kind: 'unsupported',
            by: 'farmgate',
            what: 'do that: the one at the farm is older than the edge',
          })
          return false
        }
        const refusal = limits.refusalOf(kindOf(method))
        if (refusal !== undefined) {
          fail(id, refusal)
          return false
        }
        underWay.set(id, { isAwaited: true })
        perform({ game, records, backups }, method, args).then(
          (result) => {
            if (!ended(id)) return
            const text = frameText(
              { type: 'answer', id },
              result === undefined ? undefined : stringifyJson(result),
            )
            if (text.length <= maxFarmFrame) send(text)
            // The edge would close the link, and every call under way would lose its answer.
            else fail(id, badResponse(method, 'answer too large for the link'))
          },
          (error: unknown) => {
            const failure = failureOf(method, error)
            if (ended(id)) fail(id, failure)
          },
        )
        return true
      },
      cancel: giveUp,
      stop() {
        for (const id of underWay.keys()) giveUp(id)
      },
    }
  }
}

const badResponse = (method: CallName, detail: string): FarmFailure => ({
  kind: 'bad_response',
  detail,
  write: linkCalls[method].effect === 'write',
})

/** Calls that the edge makes beside each write or chat line, and of its own. */
const notes: ReadonlySet<CallName> = new Set(['beganWrite', 'endedWrite', 'usedKey', 'fleetChanged'])

function kindOf(method: CallName): CallKind {
  if (method === 'sendChat') return 'chat'
  if (notes.has(method)) return 'records'
  return linkCalls[method].effect === 'write' ? 'writes' : 'reads'
}

function perform({ game, records, backups }: Farm, method: CallName, raw: unknown): Promise<unknown> {
  if (isAbility(method))
    return checkedCall<GameBridge, AbilityName, AbilityName>(game, abilities, method, raw)
  return isBackupAbility(method)
    ? checkedCall<Backups, BackupAbilityName, BackupAbilityName>(backups, backupAbilities, method, raw)
    : checkedCall<Records, RecordAbilityName, RecordAbilityName>(records, recordAbilities, method, raw)
}

/** @throws {FarmError} invalid_argument, without a call to the port; otherwise the failure of the call */
async function checkedCall<Port, All extends keyof Port, Name extends All>(
  port: Callable<Port, All>,
  table: AbilitiesOf<Port, All>,
  name: Name,
  raw: unknown,
) {
  const args = v.safeParse(table[name].args, raw)
  if (!args.success)
    throw new FarmError({ kind: 'invalid_argument', sentence: args.issues[0].message.slice(0, 200) })
  return port[name](...args.output)
}
