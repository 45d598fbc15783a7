/** Asks an endpoint as the router does, without one: a plain object is the game. */
import type { EndpointRequest } from '../../../handlers/endpoint.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { GameError } from '../../../handlers/game-error.ts'
import { readQuery } from '../../../handlers/parameter.ts'
import { Problem, problemOf } from '../../../handlers/problem.ts'
import { noRecords } from '../no-records.ts'

export interface Asked {
  readonly search?: string
  readonly body?: string
  readonly until?: EndpointRequest<unknown>['until']
  readonly filtered?: (values: Readonly<Record<string, unknown>>) => void
}

/** A long poll that checks its filter once and ends. */
const once: EndpointRequest<unknown>['until'] = (_milliseconds, probe) => probe()

/** @param operationId of the endpoint */
export async function ask(
  operationId: string,
  game: Partial<GameBridge>,
  { search = '', body = '', until = once, filtered = () => {} }: Asked = {},
): Promise<unknown> {
  const endpoint = endpoints.find((one) => one.operationId === operationId)
  if (endpoint === undefined) throw new Error(`no endpoint ${operationId}`)
  const query = readQuery(endpoint.parameters, search)
  const request = {
    query,
    body,
    until,
    filtered,
    mayRead: true,
    publicInviteCodes: false,
    now: '2026-11-21T12:00:00.000Z',
  }
  const unasked = new Proxy(game, {
    get: (target, name) =>
      Reflect.get(target, name) ??
      (() => {
        throw new Error(`the game was asked for ${String(name)}`)
      }),
  })
  return endpoint.handle(request, unasked as GameBridge, noRecords)
}

/** The problem that an endpoint answers with. */
export async function problem(...asked: Parameters<typeof ask>): Promise<Problem> {
  try {
    await ask(...asked)
  } catch (error) {
    if (error instanceof Problem) return error
    if (error instanceof GameError) return problemOf(error.failure)
    throw error
  }
  throw new Error('it succeeded')
}
