/**
 * The server of the link's calls, at the farm: makes each read of the game, or dispatches a forwarded call, and sends
 * back its result or failure (bridges/linked/README.md, "Calls"). Arguments are checked here, so that an attacker who
 * controls the edge can do no more to the farm than the HTTP API allows.
 */
import * as v from 'valibot'
import type { Callable } from '../../../handlers/ability.ts'
import { FarmError, type FarmFailure } from '../../../handlers/farm-error.ts'
import type { GameReads } from '../../../handlers/game-bridge.ts'
import type { Clock } from '../../../lib/clock.ts'
import { checkForeign } from '../../../lib/foreign/read.ts'
import { stringifyJson } from '../../../lib/json.ts'
import type { Log } from '../../../lib/log.ts'
import { RateLimit } from '../../../lib/rate-limit.ts'
import { type CallName, isCallName, type LinkedPorts, type LinkedRecords, linkCalls } from '../calls.ts'
import {
  type FarmAnswer,
  type FarmDispatch,
  type ForwardedAnswer,
  forwardedCall,
  forwardedMessage,
  forwarding,
  openIds,
  uploadPiece,
} from '../forwarded-call.ts'
import { type EdgeFrame, frameText, maxFarmFrame } from '../protocol.ts'
import type { CallKind, EdgeLimits } from './edge-limits.ts'
import { type FarmStreams, farmStreams } from './farm-streams.ts'
import { type FarmUploads, farmUploads } from './farm-uploads.ts'

/** The calls of one link. */
export interface RpcServer {
  /** @returns false when the call was refused, or has the id of a pending one */
  call(frame: Extract<EdgeFrame, { type: 'call' }>): boolean
  /** Refuses a call of a kind that this farm does not know, unless it belongs to a pending one. */
  refuse(id: number): void
  /**
   * The edge no longer waits for a call, or no longer reads the stream of its answer: nothing more of it is sent. The
   * call still counts until the farm has ended it.
   * @returns false when no such call is pending
   */
  cancel(id: number): boolean
  /**
   * The link is lost: results of pending calls are not sent. The calls themselves continue, so writes may still
   * happen.
   */
  stop(): void
}

/** One call, before it is made. */
interface Served {
  /** The name in the log. */
  readonly method: string
  readonly kind: CallKind
  /** How often it counts against its limit; once unless given. */
  readonly times?: number
  readonly isWrite: boolean
  /** @param over aborted when the edge no longer waits @throws {FarmError} */
  make(over: AbortSignal): Promise<unknown>
}

interface RpcServerParts extends Pick<Clock, 'monotonic'> {
  readonly game: GameReads
  readonly records: LinkedRecords
  readonly dispatch: FarmDispatch
  readonly limits: EdgeLimits
  readonly log: Pick<Log, 'warn' | 'error'>
}

/** @returns makes the server of a link */
export function rpcServer({ game, records, dispatch, limits, log, monotonic }: RpcServerParts) {
  /** A bug in the same call is logged once a minute. */
  const bugs = new RateLimit(1, monotonic)
  /** The failure to send to the edge. An error that is not a `FarmError` is a bug: only the log gets its cause. */
  const failureOf = ({ method, isWrite }: Served, error: unknown): FarmFailure => {
    if (error instanceof FarmError) return error.failure
    if (bugs.take(method) === 0) {
      const cause = error instanceof Error ? error.stack : String(error)
      log.error({ method, cause }, 'a call from the edge failed by a bug')
    }
    return badResponse('see the log', isWrite)
  }

  const ports: LinkedPorts = { ...game, ...records }
  /** @returns undefined for a method that this farm does not have */
  const servedCall = (
    id: number,
    method: string,
    args: unknown,
    streams: FarmStreams,
    uploads: FarmUploads,
  ): Served | undefined => {
    if (isCallName(method)) {
      const isWrite = linkCalls[method].effect === 'write'
      return { method, kind: kindOf(method), isWrite, make: () => perform(ports, method, args) }
    }
    if (method === forwarding.say)
      return {
        method,
        kind: 'chat',
        times: v.is(sayArgs, args) ? args[0].lines.length : 1,
        isWrite: true,
        make: async () => dispatch.say(argument(sayArgs, args)),
      }
    if (method === forwarding.piece)
      return {
        method,
        kind: 'pieces',
        isWrite: false,
        make: async () => streams.next(argument(idArgs, args)),
      }
    if (method === forwarding.open)
      return {
        method,
        kind: 'reads',
        isWrite: false,
        make: async () => streams.open(argument(openArgs, args)),
      }
    if (method === forwarding.put)
      return {
        method,
        kind: 'pieces',
        isWrite: false,
        make: async () => uploads.put(argument(putArgs, args)),
      }
    if (method !== forwarding.dispatch) return undefined
    const operationId = v.is(named, args) ? args[0].operationId : ''
    const effect = dispatch.effectOf(operationId)
    if (effect === undefined) return undefined
    return {
      method: operationId,
      kind: effect === 'write' ? 'writes' : 'reads',
      isWrite: effect === 'write',
      async make(over) {
        const call = argument(forwardedArgs, args)
        const { upload: name } = call
        const upload = name === undefined ? undefined : uploads.open(name)
        try {
          return shown(id, await dispatch.dispatch(call, over, upload), streams)
        } finally {
          if (name !== undefined) uploads.close(name)
        }
      },
    }
  }

  /**
   * @param send sends one text frame to the edge
   * @param misused called when the edge has made too many calls with wrong arguments
   */
  return (send: (text: string) => void, misused: () => void): RpcServer => {
    const streams = farmStreams((error) =>
      log.warn(
        { cause: error instanceof FarmError ? error.failure : String(error) },
        'an answer was cut short',
      ),
    )
    const uploads = farmUploads()
    /** The calls that the farm has not ended, by id; aborted where the edge no longer waits. */
    const underWay = new Map<number, AbortController>()
    const fail = (id: number, failure: FarmFailure) => send(frameText({ type: 'failure', id, failure }))
    /** @returns whether the edge waits for the ended call */
    const ended = (id: number): boolean => {
      limits.callEnded()
      const isAwaited = underWay.get(id)?.signal.aborted === false
      underWay.delete(id)
      return isAwaited
    }
    const giveUp = (id: number): boolean => {
      const call = underWay.get(id)
      call?.abort()
      return call !== undefined
    }
    return {
      call({ id, method, args }) {
        if (underWay.has(id)) return false
        const served = servedCall(id, method, args, streams, uploads)
        if (served === undefined) {
          fail(id, unknownCall)
          return false
        }
        const refusal = limits.refusalOf(served.kind, served.times)
        if (refusal !== undefined) {
          fail(id, refusal)
          return false
        }
        const call = new AbortController()
        underWay.set(id, call)
        served.make(call.signal).then(
          (result) => {
            if (!ended(id)) return streams.cancel(id)
            const text = frameText(
              { type: 'answer', id },
              result === undefined ? undefined : stringifyJson(result),
            )
            if (text.length <= maxFarmFrame) send(text)
            // The edge would close the link, and every pending call would lose its answer.
            else fail(id, badResponse('answer too large for the link', served.isWrite))
          },
          (error: unknown) => {
            const failure = failureOf(served, error)
            if (ended(id)) fail(id, failure)
            if (error instanceof WrongArguments && !limits.takesWrongCall()) misused()
          },
        )
        return true
      },
      refuse(id) {
        if (!underWay.has(id)) fail(id, unknownCall)
      },
      cancel(id) {
        streams.cancel(id)
        return giveUp(id)
      },
      stop() {
        for (const id of underWay.keys()) giveUp(id)
        streams.stop()
        uploads.stop()
      },
    }
  }
}

/** The edge adds which end is the older one. */
const unknownCall = { kind: 'unsupported', by: 'farmgate', what: 'do that', isUnknownCall: true } as const

const badResponse = (detail: string, write: boolean): FarmFailure => ({ kind: 'bad_response', detail, write })

/** Calls that record what the edge did. */
const notes: ReadonlySet<CallName> = new Set(['recordWrite', 'usedKey', 'fleetChanged'])

function kindOf(method: CallName): CallKind {
  if (notes.has(method)) return 'records'
  return linkCalls[method].effect === 'write' ? 'writes' : 'reads'
}

const named = v.tuple([v.object({ operationId: v.string() })])
const sayArgs = v.tuple([forwardedMessage])
const forwardedArgs = v.tuple([forwardedCall])
const putArgs = v.tuple([uploadPiece])
const openArgs = v.tuple([openIds])
const idArgs = v.tuple([v.pipe(v.number(), v.safeInteger())])

/** The edge has not checked the arguments of its call. */
class WrongArguments extends FarmError {
  constructor(sentence: string) {
    super({ kind: 'invalid_argument', sentence: sentence.slice(0, 200) })
  }
}

/** @throws {WrongArguments} */
function argument<T>(schema: v.GenericSchema<unknown, [T]>, args: unknown): T {
  const read = checkForeign(schema, args)
  if (read.success) return read.output[0]
  throw new WrongArguments(read.issues[0].message)
}

/** What the edge gets of the dispatcher's answer. */
function shown(id: number, answer: FarmAnswer, streams: FarmStreams): ForwardedAnswer {
  if ('problem' in answer) {
    const { code, message, details } = answer.problem
    return { problem: { code, message, details } }
  }
  if (!('stream' in answer)) return answer
  const { body, status, headers, bytes, holder, type, right } = answer.stream
  streams.add(id, body)
  return {
    stream: {
      ...{ id, status, headers, type },
      ...(bytes !== undefined && { bytes }),
      ...(holder !== undefined && { holder }),
      ...(right !== undefined && { right }),
    },
  }
}

/** @throws {WrongArguments} without a call to the port; otherwise the failure of the call */
async function perform<Name extends CallName>(
  ports: Callable<LinkedPorts, CallName>,
  method: Name,
  raw: unknown,
) {
  const args = checkForeign(linkCalls[method].args, raw)
  if (!args.success) throw new WrongArguments(args.issues[0].message)
  return ports[method](...args.output)
}
