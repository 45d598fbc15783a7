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

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Where a call is sent. */
export interface Route {
  readonly method: Method
  readonly path: string
  /** Of the body: all parameters as JSON, or `content` of the parameters. Without one they are sent in the query. */
  readonly type?: string | undefined
  /** The parameters that are sent in the query although there is a body. */
  readonly inQuery?: readonly string[]
  /** The answer is text, not JSON. */
  readonly isText?: true
  /** Milliseconds. */
  readonly timeout?: number | undefined
}

/** The name of a call that is named as its path: `inviteCode` for `/invite-code`. */
export const nameOfPath = (path: string): string =>
  path.slice(1).replace(/[-/](.)/g, (_, first: string) => first.toUpperCase())

/**
 * The routes by the names of their calls.
 * @param texts each has a method, the name unless it is that of the path, the path, the type of the body where there is one,
 * and the parameters that are sent in the query all the same. Texts make the client smaller than records do.
 */
export const routesOf = (texts: readonly string[]): ReadonlyMap<string, Route> =>
  new Map(
    texts.map((text) => {
      const [method, ...named] = text.split(' ')
      const [first = ''] = named
      const [name = '', path = '', type, ...inQuery] =
        first[0] === '/' ? [nameOfPath(first), ...named] : named
      return [name, { method: method as Method, path, type: type && `application/${type}`, inQuery }]
    }),
  )
