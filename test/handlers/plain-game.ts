/** A plain object as a game bridge: calls of members that a test does not give fail. */
import { expect } from 'vitest'
import type { Endpoint, EndpointRequest, JsonBody } from '../../handlers/endpoint.ts'
import { FarmError, type FarmFailure } from '../../handlers/farm-error.ts'
import { abilityNames } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Host } from '../../handlers/host.ts'
import { readBody } from '../../handlers/json-body.ts'
import { apiKeyHolder } from '../../handlers/key-holder.ts'
import { type Parameters, type QueryOf, readParameters, sentQuery } from '../../handlers/parameter.ts'
import { Problem, problemOf } from '../../handlers/problem.ts'
import type { Records } from '../../handlers/records.ts'
import { readJson } from '../../lib/json.ts'
import { noHost } from '../../services/host/no-host.ts'
import { portsOf } from '../farm-ports.ts'

/** Records whose state alone can be read: each call fails. */
const noRecords = new Proxy({} as Records, {
  get(_target, name) {
    if (name === 'state') return () => 'ok'
    throw new Error(`the records were asked for ${String(name)}`)
  },
})
const members: readonly (keyof GameBridge)[] = [...abilityNames, 'health', 'status', 'subscribe', 'close']

function plainGame(given: Partial<GameBridge> = {}): GameBridge {
  const missing = Object.fromEntries(
    members.map((member) => [member, () => expect.fail(`${member} is not this handler's business`)]),
  ) as unknown as GameBridge
  return { ...missing, ...given }
}

export const now = '2026-11-21T12:00:00.000Z'

/** A call of the game that fails with this failure. */
export const fails = (failure: FarmFailure) => () => Promise.reject(new FarmError(failure))

/** A write of the game that records its arguments. */
export function remembered<T>(answer: T) {
  const asked: unknown[][] = []
  const write = async (...what: unknown[]) => {
    asked.push(what)
    return answer
  }
  return { asked, write }
}

const noMetrics = { contentType: '', text: () => expect.fail('this handler shows no metrics') }

/** What a test says of a request; the body is JSON. */
export type Asked = Partial<Omit<EndpointRequest<unknown>, 'body'>> & { readonly body?: string }

/** The request that `dispatch` would make: query and body read from text, and checked. */
export function requestOf<P extends Parameters, Body>(
  endpoint: {
    readonly parameters: P
    readonly body?: JsonBody<Body>
    check?(sent: Pick<EndpointRequest<QueryOf<P>, Body>, 'query' | 'body'>): void
  },
  search: string,
  { body, ...more }: Asked = {},
) {
  const query = readParameters(endpoint.parameters, sentQuery(search))
  const read = (described: JsonBody<Body>) =>
    readBody(described, readJson(body ?? ''), (body ?? '').trim() === '')
  const sent = { query, body: (endpoint.body && read(endpoint.body)) as Body }
  endpoint.check?.(sent)
  const request = {
    holder: apiKeyHolder(),
    mayRead: true,
    publicInviteCodes: false,
    publicBadge: false,
    takesDiscord: false,
    now,
    attempt: undefined,
    upload: (async function* () {})(),
    from: { requestId: 'r', address: '' },
    isStillAllowed: () => true,
    filtered: () => {},
    until: () => expect.fail('this handler does not wait'),
    ...more,
    ...sent,
  }
  const onBehalf: EndpointRequest<unknown>['onBehalf'] = (query, { holder }) => ({
    ...{ ...request, onBehalf, query, holder },
    body: undefined,
  })
  return { ...request, onBehalf }
}

/** Calls a handler as `dispatch` would. */
export async function call<P extends Parameters, Result, Body>(
  endpoint: Endpoint<P, Result, Body>,
  search: string,
  given: Partial<GameBridge> = {},
  asked: Asked = {},
  records: Partial<Records> = {},
  host: Partial<Host> = {},
): Promise<Result> {
  const request = requestOf(endpoint, search, asked)
  const ports = portsOf(plainGame(given), {
    records: Object.assign(Object.create(noRecords) as Records, records),
    host: { ...noHost, ...host },
  })
  return endpoint.handle(request, { ...ports, metrics: noMetrics })
}

/** The problem that a call fails with; a game's failure as HTTP shows it. */
export async function problemFrom(called: Promise<unknown>): Promise<Problem> {
  const error: unknown = await called.then(
    (answer) => expect.fail(`answered ${String(answer)}`),
    (reason: unknown) => reason,
  )
  if (error instanceof Problem) return error
  return error instanceof FarmError ? problemOf(error.failure) : expect.fail(String(error))
}
