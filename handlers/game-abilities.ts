/**
 * Everything that a game can do, one row for each ability of the port (`game-bridge.ts`): whether it changes the game,
 * its time budget, and the schemas of its arguments and result. The link encodes calls by this table, the upstream
 * bridge and the simulated farm take their time budgets from it, and tests run over it. To add an ability, see
 * docs/architecture.md, "Adding an ability".
 */
import * as v from 'valibot'
import type { AbilitiesOf, ArgsOf as ArgsOfPort, ResultOf as ResultOfPort } from './ability.ts'
import {
  type Argument,
  chatAuthor,
  chatMessage,
  clockMultiplier,
  diagnosticsQuery,
  fps,
  identity,
  loginTimeout,
  timeOfDay,
} from './game-arguments.ts'
import type { GameBridge } from './game-bridge.ts'
import {
  cabins,
  farmhands,
  newGame,
  passwordProtection,
  players,
  screenshot,
  settings,
  stats,
} from './game-records.ts'
import { int64 } from './int64.ts'
import { settingsChange, settingsPatch } from './settings-change.ts'

/** Members of the port that make no call to the game: the bridge answers them from its own state. */
type WithoutCall = 'health' | 'status' | 'subscribe' | 'close'
export type AbilityName = Exclude<keyof GameBridge, WithoutCall>
export type ArgsOf<Name extends AbilityName> = ArgsOfPort<GameBridge, Name>
export type ResultOf<Name extends AbilityName> = ResultOfPort<GameBridge, Name>

const number = v.number()
const nothing = v.undefined()
const none = v.tuple([])
/** As long as a URL may be. */
const shortText = v.pipe(v.string(), v.maxLength(4096))
const person = v.object({ id: int64, label: shortText })

/** An argument within its bounds. The error names the query parameter that carries it over HTTP. */
const checked = <T>(
  parameter: string,
  type: v.GenericSchema<unknown, T>,
  { accepts, expected }: Argument<T>,
) => v.pipe(type, v.check(accepts, `Parameter '${parameter}' must be ${expected}`))

const diagnosticsPair = v.tuple([v.picklist(diagnosticsQuery), shortText])

const chatText = v.pipe(v.string(), v.check(chatMessage.accepts, `a line must have ${chatMessage.expected}`))
const chatLine = v.object({
  author: v.pipe(v.string(), v.check(chatAuthor.accepts, `author must have ${chatAuthor.expected}`)),
  message: chatText,
})

const read = { effect: 'read', budget: 2_000, args: none } as const
/** JunimoServer runs these on the game thread, between two frames, within five seconds. */
const gameThreadRead = { ...read, budget: 5_000 } as const
const write = { effect: 'write', budget: 5_000 } as const
/** Two waits of five seconds for the game thread, and up to two minutes to load or create the world. */
const worldWrite = { effect: 'write', budget: 130_000 } as const

export const abilities: AbilitiesOf<GameBridge, AbilityName> = {
  players: { ...read, args: v.tuple([v.optional(v.literal('now'))]), result: players },
  inviteCode: { ...read, result: v.optional(v.string()) },
  farmhands: { ...read, result: farmhands },
  settings: { ...read, result: settings },
  cabins: { ...read, result: cabins },
  rendering: { ...read, result: number },
  stats: { ...read, result: stats },
  passwordProtection: { ...read, result: passwordProtection },
  screenshot: { ...gameThreadRead, result: screenshot },
  diagnostics: {
    ...gameThreadRead,
    args: v.tuple([v.pipe(v.array(diagnosticsPair), v.maxLength(diagnosticsQuery.length))]),
    result: v.record(v.string(), v.unknown()),
  },
  deleteFarmhand: { effect: 'write', budget: 15_000, args: v.tuple([person]), result: nothing },
  rebindFarmhand: {
    ...write,
    args: v.tuple([person, checked('identity', v.string(), identity)]),
    result: nothing,
  },
  changeSettings: { ...write, args: v.tuple([settingsPatch]), result: settingsChange },
  setRendering: { ...write, args: v.tuple([checked('fps', number, fps)]), result: number },
  setTime: { ...write, args: v.tuple([checked('value', number, timeOfDay)]), result: nothing },
  grantAdmin: { ...write, args: v.tuple([person]), result: v.string() },
  sendChat: { ...write, args: v.tuple([chatLine]), result: nothing },
  announce: { ...write, args: v.tuple([chatText]), result: nothing },
  setClockSpeed: {
    ...write,
    args: v.tuple([checked('multiplier', number, clockMultiplier)]),
    result: number,
  },
  setLoginTimeout: { ...write, args: v.tuple([checked('value', number, loginTimeout)]), result: number },
  newGame: { ...worldWrite, args: v.tuple([newGame]), result: v.string() },
  reload: { ...worldWrite, args: none, result: v.string() },
}

export const isAbility = (name: string): name is AbilityName => Object.hasOwn(abilities, name)

/** In the order of the table. */
export const abilityNames: readonly AbilityName[] = Object.keys(abilities).filter(isAbility)
