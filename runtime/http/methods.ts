/** What depends on all methods of a path: `Allow`, preflights, and whether a wrong method needs a key. */
import { Problem } from '../../handlers/problem.ts'
import { type Answer, emptyAnswer } from './answer.ts'
import type { Caller } from './caller.ts'
import { type OriginRules, preflightHeaders } from './cors.ts'

type Methods = ReadonlyMap<string, { readonly access: 'public' | 'key' }>

/** The value of `Allow`. */
export const allowedMethods = (methods: Methods): string =>
  [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')

/** A known path was called with a method that it does not have. */
export function methodNotAllowed(allow: string): Problem {
  const methods = allow.split(', ')
  const last = methods.pop()
  const named = methods.length === 0 ? last : `${methods.join(', ')} or ${last}`
  return new Problem('method_not_allowed', `Method not allowed: use ${named}`, { allow })
}

/**
 * Whether a request with a wrong method needs the key: not on a public path, but on an unknown path or one with a key.
 */
export const accessOf = (methods: Methods | undefined): 'public' | 'key' =>
  methods !== undefined && [...methods.values()].some(({ access }) => access === 'public') ? 'public' : 'key'

/** The answer to `OPTIONS`: a preflight of an allowed origin, or the methods of the path; undefined for an unknown path. */
export function preflightAnswer(
  caller: Caller,
  origins: OriginRules,
  methods: Methods | undefined,
): Answer | undefined {
  const origin = caller.header('origin')
  const headers =
    origin !== undefined && origins.isAllowed(origin)
      ? preflightHeaders(origin)
      : methods && { Allow: allowedMethods(methods) }
  return headers && emptyAnswer(204, headers)
}
