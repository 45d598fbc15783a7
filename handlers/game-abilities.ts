/**
 * Everything that a game can do, one row for each ability of the port (`game-bridge.ts`): whether it changes the game,
 * and its time budget. The upstream bridge and the simulated farm take their budgets from it, and tests run over it.
 * The link carries reads, so their rows have the schemas of arguments and result. To add an ability, see
 * docs/architecture.md, "Adding an ability".
 */
import * as v from 'valibot'
import type { AbilitiesOf, ArgsOf as ArgsOfPort, Limits, ResultOf as ResultOfPort } from './ability.ts'
import { diagnosticsQuery } from './game-arguments.ts'
import type { GameBridge, GameReads } from './game-bridge.ts'
import {
  cabins,
  farmhands,
  passwordProtection,
  players,
  screenshot,
  settings,
  stats,
} from './game-records.ts'

/** Members of the port that make no call to the game: the bridge answers them from its own state. */
type WithoutCall = 'health' | 'status' | 'subscribe' | 'close'
export type AbilityName = Exclude<keyof GameBridge, WithoutCall>
export type ReadName = Exclude<keyof GameReads, WithoutCall>
export type ArgsOf<Name extends AbilityName> = ArgsOfPort<GameBridge, Name>
export type ResultOf<Name extends AbilityName> = ResultOfPort<GameBridge, Name>

const none = v.tuple([])
/** As long as a URL may be. */
const shortText = v.pipe(v.string(), v.maxLength(4096))
const diagnosticsPair = v.tuple([v.picklist(diagnosticsQuery), shortText])

const read = { effect: 'read', budget: 2_000, args: none } as const
/** JunimoServer runs these on the game thread, between two frames, within five seconds. */
const gameThreadRead = { ...read, budget: 5_000 } as const
const write = { effect: 'write', budget: 5_000 } as const
/** Two waits of five seconds for the game thread, and up to two minutes to load or create the world. */
const worldWrite = { effect: 'write', budget: 130_000 } as const

export const gameReads: AbilitiesOf<GameReads, ReadName> = {
  players: { ...read, args: v.tuple([v.optional(v.literal('now'))]), result: players },
  inviteCode: { ...read, result: v.optional(v.string()) },
  farmhands: { ...read, result: farmhands },
  settings: { ...read, result: settings },
  cabins: { ...read, result: cabins },
  rendering: { ...read, result: v.number() },
  stats: { ...read, result: stats },
  passwordProtection: { ...read, result: passwordProtection },
  screenshot: { ...gameThreadRead, result: screenshot },
  diagnostics: {
    ...gameThreadRead,
    args: v.tuple([v.pipe(v.array(diagnosticsPair), v.maxLength(diagnosticsQuery.length))]),
    result: v.record(v.string(), v.unknown()),
  },
}

export const abilities: Readonly<Record<AbilityName, Limits>> = {
  ...gameReads,
  deleteFarmhand: { effect: 'write', budget: 15_000 },
  rebindFarmhand: write,
  changeSettings: write,
  setRendering: write,
  setTime: write,
  grantAdmin: write,
  sendChat: write,
  announce: write,
  setClockSpeed: write,
  setLoginTimeout: write,
  newGame: worldWrite,
  reload: worldWrite,
}

const isAbility = (name: string): name is AbilityName => Object.hasOwn(abilities, name)

/** In the order of the table. */
export const abilityNames: readonly AbilityName[] = Object.keys(abilities).filter(isAbility)
