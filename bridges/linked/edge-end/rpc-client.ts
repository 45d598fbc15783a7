/**
 * The client of the link's calls, at the edge. Each call has an id and a time limit, and ends exactly once
 * (bridges/linked/README.md, "Calls").
 */
import type { Ability } from '../../../handlers/ability.ts'
import { FarmError, type FarmFailure, lostAnswer } from '../../../handlers/farm-error.ts'
import type { After } from '../../../lib/clock.ts'
import { checkForeign, foreignValue } from '../../../lib/foreign/read.ts'
import { utf8Length } from '../../../lib/json.ts'
import { frameText, maxEdgeFrame } from '../protocol.ts'

/** Maximum of pending calls; further calls fail with `unavailable` and are not sent. */
const maxCalls = 256

/** Milliseconds for the network, in addition to the farm's time for a call. */
const networkTime = 1_000

interface Call {
  readonly effect: 'read' | 'write'
  answered(body: string | undefined): void
  failed(failure: FarmFailure): void
}

const tooLong = 'The request is larger than the link to the farm can carry'

interface LastAnswer {
  readonly body: string
  readonly value: unknown
}

export class RpcClient {
  readonly #calls = new Map<number, Call>()
  /** The last answer to each read. An equal answer gives the same object again, as `GameBridge` promises. */
  readonly #last = new WeakMap<object, LastAnswer>()
  readonly #after: After
  #next: number

  /**
   * @param firstId greater than every id used before the object was last loaded, because answers to those may still
   * come
   */
  constructor(firstId: number, after: After) {
    this.#next = firstId
    this.#after = after
  }

  /** Pending calls. */
  get size(): number {
    return this.#calls.size
  }

  /**
   * Makes a call at the farm.
   * @param ability what the method does; this object remembers the answers to a read
   * @param send sends one text frame to the farm; returns false when it was certainly not sent
   * @throws {FarmError} the farm's failure; timeout after the budget and a second; unavailable when the call was not
   * sent; invalid_argument when it is too long
   */
  call<Args extends readonly unknown[], Result>(
    method: string,
    ability: Omit<Ability<Args, Result>, 'args'>,
    args: Args,
    send: (text: string) => boolean,
  ): Promise<Result> {
    if (this.#calls.size >= maxCalls) return Promise.reject(new FarmError({ kind: 'unavailable' }))
    const { effect, budget } = ability
    const id = this.#next
    this.#next += 1
    const text = frameText({ type: 'call', id, method, args })
    // The farm would close the link, and every pending call would lose its answer.
    if (text.length > maxEdgeFrame / 3 && utf8Length(text) > maxEdgeFrame)
      return Promise.reject(new FarmError({ kind: 'invalid_argument', sentence: tooLong }))
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const cancelTimeout = this.#after(budget + networkTime, () => {
      send(frameText({ type: 'cancel', id }))
      call.failed({ kind: 'timeout', write: effect === 'write' })
    })
    const end = () => {
      cancelTimeout()
      this.#calls.delete(id)
    }
    const call: Call = {
      effect,
      failed: (failure) => {
        end()
        reject(new FarmError(failure))
      },
      answered: (body) => {
        end()
        try {
          resolve(this.#read(ability, body))
        } catch {
          const detail = `${method} answered something else`
          reject(new FarmError({ kind: 'bad_response', detail, write: effect === 'write' }))
        }
      },
    }
    this.#calls.set(id, call)
    if (!send(text)) call.failed({ kind: 'unavailable' })
    return promise
  }

  /** Ends a call with its answer. @returns false when no pending call has the id */
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

  /** Whether an id may belong to a call of this client, or of one before the object was last loaded. */
  isOurs(id: number): boolean {
    return id < this.#next
  }

  /** The link is lost: ends every pending call with `lostAnswer`, because it was sent and its answer cannot come. */
  lose(): void {
    for (const call of [...this.#calls.values()]) call.failed(lostAnswer(call.effect))
  }

  #read<Result>(ability: Omit<Ability<never, Result>, 'args'>, body: string | undefined): Result {
    const { effect, result } = ability
    if (body === undefined) return checked(result, undefined)
    const last = this.#last.get(ability)
    if (last?.body === body) return last.value as Result
    const found = foreignValue(body)
    if (found === undefined) throw new SyntaxError('the answer is not JSON')
    const value = checked(result, found)
    // The answer to a write can be a new key, which must not stay in memory.
    if (effect === 'read') this.#last.set(ability, { body, value })
    return value
  }
}

/** @throws {TypeError} for a value that does not fit the schema */
function checked<Result>(schema: Ability<never, Result>['result'], value: unknown): Result {
  const read = checkForeign<Result>(schema, value)
  if (read.success) return read.output
  throw new TypeError(read.issues[0].message)
}
