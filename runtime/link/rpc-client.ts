/**
 * The client of the link's calls, at the edge: each has an id, a limit of time and one end (docs/link.md,
 * "Calls").
 */
import * as v from 'valibot'
import { type AbilityName, type ArgsOf, abilities, type ResultOf } from '../../handlers/game-abilities.ts'
import { GameError, type GameFailure, lostAnswer } from '../../handlers/game-error.ts'
import { parseJson } from '../../handlers/json.ts'
import { callBudget, frameText } from './protocol.ts'

/** Calls under way at once: beyond it the farm is busy, and the call is not sent. */
const maxCalls = 256

interface Call {
  readonly method: AbilityName
  answered(body: string | undefined): void
  failed(failure: GameFailure): void
}

interface LastAnswer {
  readonly body: string
  readonly value: unknown
}

/** Runs something once, later. @returns how to call it off */
export type After = (milliseconds: number, run: () => void) => () => void

export class RpcClient {
  readonly #calls = new Map<number, Call>()
  /** What each read answered last, so that what did not change is the same object. */
  readonly #last = new Map<AbilityName, LastAnswer>()
  readonly #after: After
  #next: number

  /** @param firstId beyond every id of an earlier life of this object, whose answers may still come */
  constructor(firstId: number, after: After) {
    this.#next = firstId
    this.#after = after
  }

  /** Calls under way. */
  get size(): number {
    return this.#calls.size
  }

  /**
   * @param send one frame of text to the farm; false when it surely was not sent
   * @throws {GameError} what the game failed with; timeout; unavailable when the call was not sent
   */
  call<M extends AbilityName>(
    method: M,
    args: ArgsOf<M>,
    send: (text: string) => boolean,
  ): Promise<ResultOf<M>> {
    if (this.#calls.size >= maxCalls) return Promise.reject(new GameError({ kind: 'unavailable' }))
    const { effect, result } = abilities[method]
    const id = this.#next
    this.#next += 1
    const { promise, resolve, reject } = Promise.withResolvers<ResultOf<M>>()
    const callOff = this.#after(callBudget(method), () => {
      send(frameText({ type: 'cancel', id }))
      call.failed({ kind: 'timeout', write: effect === 'write' })
    })
    const end = () => {
      callOff()
      this.#calls.delete(id)
    }
    const call: Call = {
      method,
      failed: (failure) => {
        end()
        reject(new GameError(failure))
      },
      answered: (body) => {
        end()
        try {
          resolve(this.#read(method, result, body))
        } catch {
          const detail = `${method} answered something else`
          reject(new GameError({ kind: 'bad_response', detail, write: effect === 'write' }))
        }
      },
    }
    this.#calls.set(id, call)
    if (!send(frameText({ type: 'call', id, method, args }))) call.failed({ kind: 'unavailable' })
    return promise
  }

  /** @returns false for an id that no call has: answered too late, or never asked */
  answered(id: number, body: string | undefined): boolean {
    const call = this.#calls.get(id)
    call?.answered(body)
    return call !== undefined
  }

  /** @returns as `answered` */
  failed(id: number, failure: GameFailure): boolean {
    const call = this.#calls.get(id)
    call?.failed(failure)
    return call !== undefined
  }

  /** Whether an id was given out in this life. */
  isOurs(id: number): boolean {
    return id < this.#next
  }

  /** The link is gone: every call under way was sent, and its answer will not come. */
  lose(): void {
    for (const call of [...this.#calls.values()]) call.failed(lostAnswer(abilities[call.method].effect))
  }

  #read<Result>(
    method: AbilityName,
    schema: v.GenericSchema<unknown, Result>,
    body: string | undefined,
  ): Result {
    if (body === undefined) return v.parse(schema, undefined)
    const last = this.#last.get(method)
    if (last?.body === body) return last.value as Result
    const value = v.parse(schema, parseJson(body))
    if (abilities[method].effect === 'read') this.#last.set(method, { body, value })
    return value
  }
}
