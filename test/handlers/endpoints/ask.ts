/** Calls endpoints by their operation id, with a plain object as the game. */
import type { EndpointRequest } from '../../../handlers/endpoint.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { type Asked, call, problemFrom } from '../plain-game.ts'

/** A long poll that checks its filter once and returns. */
const once: EndpointRequest<unknown>['until'] = (_milliseconds, probe) => probe()

/** @returns the answer */
export async function ask(
  operationId: string,
  game: Partial<GameBridge>,
  { search = '', ...more }: Asked & { readonly search?: string } = {},
): Promise<unknown> {
  const endpoint = endpoints.find((one) => one.operationId === operationId)
  if (endpoint === undefined) throw new Error(`no endpoint ${operationId}`)
  return call(endpoint, search, game, { until: once, ...more })
}

/** The problem that an endpoint answers. */
export const problem = (...asked: Parameters<typeof ask>) => problemFrom(ask(...asked))
