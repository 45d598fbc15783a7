/** The common parts of the client's calls. */

export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. A change that was sent may still be made. */
  signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, repeats included. */
  timeout?: number | undefined
}

/** Exactly one of both. */
export interface Person {
  /** In any case. */
  name?: string | undefined
  playerId?: bigint | undefined
}

export interface Wait {
  /** Only a record whose `version` is above this one. */
  since?: number | undefined
  /** Milliseconds to wait, at most 10,000; then the call throws `wait_timeout`. */
  timeout?: number | undefined
}

/** `before` is `next` of the previous page; `limit` is 100 unless given, and at most 500. */
export interface Page {
  before?: string | undefined
  limit?: number | undefined
}

/** A call without parameters. */
type None = Record<string, never>

export type Call<Parameters, Answer> = (parameters: Parameters, options?: CallOptions) => Promise<Answer>
export type CallWithout<Answer> = (parameters?: None, options?: CallOptions) => Promise<Answer>
export type CallWithOptional<Parameters, Answer> = (
  parameters?: Parameters,
  options?: CallOptions,
) => Promise<Answer>

/** Where a call is sent. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
  /** The parameters are sent as a JSON body, not in the query. */
  readonly hasBody?: true
  /** Of those, the parameters that are sent in the query. */
  readonly inQuery?: readonly string[]
  /** The type of the body, which is `content` of the parameters. */
  readonly uploads?: string
  /** The answer is text, not JSON. */
  readonly isText?: true
  /** Milliseconds; loading, creating or copying a world takes up to two minutes. */
  readonly timeout?: number
}
