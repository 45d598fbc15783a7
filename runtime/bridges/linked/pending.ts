/** Calls that cross the link: told apart by id, each with a deadline, none answered twice. */
import * as v from 'valibot'
import { GameError, type GameFailure } from '../../../handlers/game-error.ts'
import { parseJson } from '../../../handlers/json.ts'
import { type ArgsOf, callOf, type Method, type ResultOf } from '../../link/calls.ts'
import { frameText } from '../../link/protocol.ts'

/** Calls under way at once: beyond it the farm is busy, and says so. */
const mostPending = 256

interface Waiting {
  answered(body: string | undefined): void
  failed(failure: GameFailure): void
}

interface LastAnswer<M extends Method> {
  readonly body: string
  readonly value: ResultOf<M>
}
type LastAnswers = { [M in Method]?: LastAnswer<M> }

export class PendingCalls {
  readonly #waiting = new Map<number, Waiting>()
  /** What each read answered last, so that what did not change is the same object. */
  readonly #last: LastAnswers = {}
  #next: number

  /** @param first beyond every id of an earlier life of this object, whose answers may still come */
  constructor(first: number) {
    this.#next = first
  }

  get size(): number {
    return this.#waiting.size
  }

  /** @throws {GameError} what the game failed with; timeout; unavailable when there are too many calls */
  ask<M extends Method>(method: M, args: ArgsOf<M>, send: (text: string) => void): Promise<ResultOf<M>> {
    const { effect, within } = callOf(method)
    if (this.#waiting.size >= mostPending) return Promise.reject(new GameError({ kind: 'unavailable' }))
    const id = this.#next
    this.#next += 1
    const { promise, resolve, reject } = Promise.withResolvers<ResultOf<M>>()
    const limit = setTimeout(() => {
      send(frameText({ type: 'cancel', id }))
      settle(() => reject(new GameError({ kind: 'timeout', write: effect === 'write' })))
    }, within)
    const settle = (how: () => void) => {
      clearTimeout(limit)
      this.#waiting.delete(id)
      how()
    }
    this.#waiting.set(id, {
      failed: (failure) => settle(() => reject(new GameError(failure))),
      answered: (body) =>
        settle(() => {
          try {
            resolve(this.#read(method, body))
          } catch {
            reject(new GameError({ kind: 'bad_response', detail: `${method} answered something else` }))
          }
        }),
    })
    send(frameText({ type: 'call', id, method, args }))
    return promise
  }

  /** @returns false for an id that nobody waits for: answered too late, or never asked */
  answered(id: number, body: string | undefined): boolean {
    const waiting = this.#waiting.get(id)
    waiting?.answered(body)
    return waiting !== undefined
  }

  /** @returns as `answered` */
  failed(id: number, failure: GameFailure): boolean {
    const waiting = this.#waiting.get(id)
    waiting?.failed(failure)
    return waiting !== undefined
  }

  /** Whether an id was given out in this life. */
  isOurs(id: number): boolean {
    return id < this.#next
  }

  failAll(): void {
    for (const waiting of [...this.#waiting.values()]) waiting.failed({ kind: 'unavailable' })
  }

  #read<M extends Method>(method: M, body: string | undefined): ResultOf<M> {
    const { result, effect } = callOf(method)
    if (body === undefined) return v.parse(result, undefined)
    const last: LastAnswer<M> | undefined = this.#last[method]
    if (last?.body === body) return last.value
    const value = v.parse(result, parseJson(body))
    if (effect === 'read') Object.assign(this.#last, { [method]: { body, value } })
    return value
  }
}
