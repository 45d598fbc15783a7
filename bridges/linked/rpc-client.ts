/**
 * The client of the link's calls, at the edge. Each call has an id and a time limit, and ends exactly once (docs/architecture.md,
 * "Calls").
 */
import * as v from 'valibot'
import { FarmError, type FarmFailure, lostAnswer } from '../../handlers/farm-error.ts'
import type { After } from '../../lib/clock.ts'
import { parseJson } from '../../lib/json.ts'
import { type ArgsOf, type CallName, linkCalls, type ResultOf } from './calls.ts'
import { callBudget, frameText } from './protocol.ts'

/** Maximum of calls under way at once; further calls fail with `unavailable` and are not sent. */
const maxCalls = 256

interface Call {
  readonly method: CallName
  answered(body: string | undefined): void
  failed(failure: FarmFailure): void
}

interface LastAnswer {
  readonly body: string
  readonly value: unknown
}

export class RpcClient {
  readonly #calls = new Map<number, Call>()
  /** The last answer to each read. An equal answer gives the same object again, as `GameBridge` promises. */
  readonly #last = new Map<CallName, LastAnswer>()
  readonly #after: After
  #next: number

  /** @param firstId greater than every id used before the object was last loaded, because answers to those may still come */
  constructor(firstId: number, after: After) {
    this.#next = firstId
    this.#after = after
  }

  /** Calls under way. */
  get size(): number {
    return this.#calls.size
  }

  /**
   * Makes a call to the game or the records at the farm.
   * @param send sends one text frame to the farm; returns false when it was certainly not sent
   * @throws {FarmError} the game's failure; timeout after `callBudget`; unavailable when the call was not sent
   */
  call<M extends CallName>(
    method: M,
    args: ArgsOf<M>,
    send: (text: string) => boolean,
  ): Promise<ResultOf<M>> {
    if (this.#calls.size >= maxCalls) return Promise.reject(new FarmError({ kind: 'unavailable' }))
    const { effect, result } = linkCalls[method]
    const id = this.#next
    this.#next += 1
    const { promise, resolve, reject } = Promise.withResolvers<ResultOf<M>>()
    const cancelTimeout = this.#after(callBudget(method), () => {
      send(frameText({ type: 'cancel', id }))
      call.failed({ kind: 'timeout', write: effect === 'write' })
    })
    const end = () => {
      cancelTimeout()
      this.#calls.delete(id)
    }
    const call: Call = {
      method,
      failed: (failure) => {
        end()
        reject(new FarmError(failure))
      },
      answered: (body) => {
        end()
        try {
          resolve(this.#read(method, result, body))
        } catch {
          const detail = `${method} answered something else`
          reject(new FarmError({ kind: 'bad_response', detail, write: effect === 'write' }))
        }
      },
    }
    this.#calls.set(id, call)
    if (!send(frameText({ type: 'call', id, method, args }))) call.failed({ kind: 'unavailable' })
    return promise
  }

  /** Ends a call with its answer. @returns false when no call has the id: it has ended, or there never was one */
  answered(id: number, body: string | undefined): boolean {
    const call = this.#calls.get(id)
    call?.answered(body)
    return call !== undefined
  }

  /** Ends a call with a failure. @returns as `answered` */
  failed(id: number, failure: FarmFailure): boolean {
    const call = this.#calls.get(id)
    call?.failed(failure)
    return call !== undefined
  }

  /** Whether an id may have been given to a call, by this client or by one before the object was last loaded. */
  isOurs(id: number): boolean {
    return id < this.#next
  }

  /** The link is lost: ends every call under way with `lostAnswer`, because it was sent and its answer cannot come. */
  lose(): void {
    for (const call of [...this.#calls.values()]) call.failed(lostAnswer(linkCalls[call.method].effect))
  }

  #read<Result>(
    method: CallName,
    schema: v.GenericSchema<unknown, Result>,
    body: string | undefined,
  ): Result {
    if (body === undefined) return v.parse(schema, undefined)
    const last = this.#last.get(method)
    if (last?.body === body) return last.value as Result
    const value = v.parse(schema, parseJson(body))
    // What a write answers can be a new key, which is not to stay in memory.
    if (linkCalls[method].effect === 'read') this.#last.set(method, { body, value })
    return value
  }
}
