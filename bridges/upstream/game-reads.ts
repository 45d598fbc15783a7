/** The reads of the game, each cached for a short time and shared by all callers (`kept-read.ts`). */
import type * as v from 'valibot'
import { FarmError } from '../../handlers/farm-error.ts'
import type { AbilityName } from '../../handlers/game-abilities.ts'
import type { Cabins, Players, Status } from '../../handlers/game-records.ts'
import type { Clock } from '../../lib/clock.ts'
import * as answers from './answers.ts'
import { causeOfAnswer, failureOf, keyRefused, refusesKey } from './failures.ts'
import type { GameAnswer, GameHttp } from './game-http.ts'
import { type KeptRead, keptRead } from './kept-read.ts'
import { isStandIn } from './last-status.ts'
import type { Limits } from './limits.ts'
import type { Presence } from './presence.ts'
import { causeOfGameError, UpstreamError } from './upstream-error.ts'

export type GameReads = ReturnType<typeof gameReads>

interface GameReadsOptions {
  readonly http: GameHttp
  readonly presence: Presence
  readonly clock: Clock
  readonly limits: Limits
  /** Called with every good answer. @param health the last answer about it */
  readonly onStatus: (status: Status, health: v.InferOutput<typeof answers.health> | undefined) => void
  readonly onPlayers: (players: Players) => void
  readonly onCabins: (cabins: Cabins) => void
  readonly onRendering: (rendering: { readonly fps: number }) => void
}

interface Question<T> {
  /** Missing for reads that are not an ability of the port: the game's health and status. */
  readonly ability?: AbilityName
  readonly path: string
  readonly schema: v.GenericSchema<unknown, T>
  /** Completes "This game server cannot …". */
  readonly what: string
  readonly maxBytes?: number
  /** The game answers it without a key, so an answer does not prove that the key is accepted. */
  readonly isOpen?: true
  readonly onAnswer?: (value: T) => void
  /** Whether an answer comes from the small server that JunimoServer runs while the game starts. */
  readonly isStandIn?: (value: T) => boolean
}

export function gameReads(options: GameReadsOptions) {
  const { http, presence, clock, limits } = options
  /** Sends one request. @throws {FarmError} */
  async function ask<T>(question: Question<T>, before?: { readonly text: string; readonly value: T }) {
    const { ability, path, schema, what, maxBytes = limits.answerBytes } = question
    const budget = ability === undefined ? limits.look : limits.budgetOf(ability)
    try {
      const answer = await http.call({ method: 'GET', path, budget, maxBytes })
      if (refusesKey(answer.status)) presence.keyRejected()
      const failure = failureOf(answer, { what, isWrite: false })
      if (failure !== undefined) throw new UpstreamError(failure, causeOfAnswer(answer, failure))
      const { text, snapshotAge } = answer
      const value = before?.text === text ? before.value : readValue(schema, answer)
      if (question.isStandIn?.(value) === true) presence.starting()
      else presence.answered(snapshotAge)
      if (question.isOpen !== true) presence.keyAccepted()
      return { text, value }
    } catch (error) {
      if (!(error instanceof FarmError)) throw error
      const { failure } = error
      const isRefused = failure.kind === 'unavailable' && failure.because !== undefined
      // A rate limit caused by a refused key is reported as a refused key.
      if (isRefused && presence.isKeyRejected) throw new FarmError({ ...failure, ...keyRefused })
      const cause = causeOfGameError(error)
      if (cause !== undefined && failure.kind !== 'unsupported') presence.failed(failure, cause)
      throw error
    }
  }

  /** @throws {UpstreamError} bad_response */
  function readValue<T>(schema: v.GenericSchema<unknown, T>, answer: GameAnswer): T {
    try {
      return answers.readAnswer(schema, answer.text)
    } catch (error) {
      if (!(error instanceof FarmError)) throw error
      throw new UpstreamError(error.failure, causeOfAnswer(answer, error.failure))
    }
  }

  const { keepFor } = limits
  const allKept: KeptRead<unknown>[] = []
  const kept = <T>(question: Question<T>): KeptRead<T> => {
    const read = keptRead({
      ask: (before) => ask(question, before),
      keepFor,
      monotonic: clock.monotonic,
      ...(question.onAnswer !== undefined && { onAnswer: question.onAnswer }),
    })
    allKept.push(read)
    return read
  }

  /** Diagnostics are not cached, because they have a query; calls with the same query at the same time share a request. */
  const diagnosing = new Map<string, Promise<Readonly<Record<string, unknown>>>>()

  const health = kept({ path: '/health', schema: answers.health, what: 'report its health', isOpen: true })

  return {
    health,
    status: kept({
      path: '/status',
      schema: answers.status,
      what: 'report its status',
      isOpen: true,
      onAnswer: (status) => options.onStatus(status, health.last?.value),
      isStandIn,
    }),
    players: kept({
      ability: 'players',
      path: '/players',
      schema: answers.players,
      what: 'list its players',
      onAnswer: options.onPlayers,
    }),
    farmhands: kept({
      ability: 'farmhands',
      path: '/farmhands',
      schema: answers.farmhands,
      what: 'list its farmhands',
    }),
    cabins: kept({
      ability: 'cabins',
      path: '/cabins',
      schema: answers.cabins,
      what: 'list its cabins',
      onAnswer: options.onCabins,
    }),
    inviteCode: kept({
      ability: 'inviteCode',
      path: '/invite-code',
      schema: answers.inviteCode,
      what: 'report its invite code',
    }),
    settings: kept({
      ability: 'settings',
      path: '/settings',
      schema: answers.settings,
      what: 'report its settings',
    }),
    rendering: kept({
      ability: 'rendering',
      path: '/rendering',
      schema: answers.rendering,
      what: 'report its rendering rate',
      onAnswer: options.onRendering,
    }),
    stats: kept({
      ability: 'stats',
      path: '/stats',
      schema: answers.stats,
      what: 'report its statistics',
      isOpen: true,
    }),
    passwordProtection: kept({
      ability: 'passwordProtection',
      path: '/auth',
      schema: answers.passwordProtection,
      what: 'report its password protection',
    }),
    screenshot: kept({
      ability: 'screenshot',
      path: '/screenshot',
      schema: answers.screenshot,
      what: 'take screenshots',
      maxBytes: limits.screenshotBytes,
    }),
    /** Drops every cached answer. */
    dropAll() {
      for (const read of allKept) read.drop()
    },
    diagnostics(query: string) {
      const underWay = diagnosing.get(query)
      if (underWay !== undefined) return underWay
      const path = `/diagnostics/state${query === '' ? '' : `?${query}`}`
      const asked = ask({
        ability: 'diagnostics',
        path,
        schema: answers.diagnostics,
        what: 'report its diagnostics',
        isOpen: true,
      })
        .then(({ value }) => value)
        .finally(() => diagnosing.delete(query))
      diagnosing.set(query, asked)
      return asked
    },
  }
}
