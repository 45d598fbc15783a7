/** A plain object as a game bridge: calls of members that a test does not give fail. */
import { expect } from 'vitest'
import type { Endpoint, EndpointRequest } from '../../handlers/endpoint.ts'
import { abilityNames } from '../../handlers/game-abilities.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { GameError, type GameFailure } from '../../handlers/game-error.ts'
import { apiKeyHolder } from '../../handlers/key-holder.ts'
import type { Parameters } from '../../handlers/parameter.ts'
import { readQuery } from '../../handlers/parameter.ts'
import { Problem, problemOf } from '../../handlers/problem.ts'
import { noBackups } from '../records/no-backups.ts'
import { noRecords } from './no-records.ts'

const members: readonly (keyof GameBridge)[] = [...abilityNames, 'health', 'status', 'subscribe', 'close']

function plainGame(given: Partial<GameBridge> = {}): GameBridge {
  const missing = Object.fromEntries(
    members.map((member) => [member, () => expect.fail(`${member} is not this handler's business`)]),
  ) as unknown as GameBridge
  return { ...missing, ...given }
}

export const now = '2026-11-21T12:00:00.000Z'

/** A call of the game that ends with this failure. */
export const fails = (failure: GameFailure) => () => Promise.reject(new GameError(failure))

/** A write of the game that remembers what it was asked. */
export function remembered<T>(answer: T) {
  const asked: unknown[][] = []
  const write = async (...what: unknown[]) => {
    asked.push(what)
    return answer
  }
  return { asked, write }
}

/** Calls a handler as the router would: the query read from text. */
export async function call<P extends Parameters, Result>(
  endpoint: Endpoint<P, Result>,
  search: string,
  given: Partial<GameBridge> = {},
  more: Partial<EndpointRequest<unknown>> = {},
): Promise<Result> {
  const request = {
    holder: apiKeyHolder(),
    mayRead: true,
    publicInviteCodes: false,
    takesDiscord: false,
    now,
    body: '',
    filtered: () => {},
    until: () => expect.fail('this handler does not wait'),
    ...more,
    query: readQuery(endpoint.parameters, search),
  }
  return endpoint.handle(request, plainGame(given), noRecords, noBackups)
}

/** The problem that a call ended with, a game's failure as HTTP shows it. */
export async function problemFrom(called: Promise<unknown>): Promise<Problem> {
  const error: unknown = await called.then(
    (answer) => expect.fail(`answered ${String(answer)}`),
    (reason: unknown) => reason,
  )
  if (error instanceof Problem) return error
  return error instanceof GameError ? problemOf(error.failure) : expect.fail(String(error))
}
