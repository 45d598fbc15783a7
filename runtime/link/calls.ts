/** Every call that crosses the link: what it takes, what it answers, how long it may take, and how it is made. */
import * as v from 'valibot'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { newGame, passwordProtection, screenshot, settings, stats } from '../../handlers/game-records.ts'
import { int64FromJson } from '../../handlers/int64.ts'
import { cabins, farmhands, players } from './records.ts'

export interface Call<Args, Result> {
  /** A read may be dropped by either end; a write is asked once and never again. */
  readonly effect: 'read' | 'write'
  /** Milliseconds: the game side's own budget (contract section 5) and one second for the way. */
  readonly within: number
  readonly args: v.GenericSchema<unknown, Args>
  readonly result: v.GenericSchema<unknown, Result>
  perform(game: GameBridge, args: Args): Promise<Result>
}

const call = <Args, Result>(described: Call<Args, Result>): Call<Args, Result> => described

const budget = { read: 3_000, write: 6_000, delete: 16_000, world: 31_000 } as const

const none = v.tuple([])
const person = v.object({ id: int64FromJson, label: v.string() })
const nothing = v.undefined()
const number = v.number()
const read = { effect: 'read', within: budget.read, args: none } as const
const write = { effect: 'write', within: budget.write } as const

const calls = {
  players: call({ ...read, result: players, perform: (game) => game.players() }),
  inviteCode: call({ ...read, result: v.optional(v.string()), perform: (game) => game.inviteCode() }),
  farmhands: call({ ...read, result: farmhands, perform: (game) => game.farmhands() }),
  settings: call({ ...read, result: settings, perform: (game) => game.settings() }),
  cabins: call({ ...read, result: cabins, perform: (game) => game.cabins() }),
  rendering: call({ ...read, result: number, perform: (game) => game.rendering() }),
  stats: call({ ...read, result: stats, perform: (game) => game.stats() }),
  screenshot: call({ ...read, result: screenshot, perform: (game) => game.screenshot() }),
  passwordProtection: call({
    ...read,
    result: passwordProtection,
    perform: (game) => game.passwordProtection(),
  }),
  diagnostics: call({
    ...read,
    args: v.tuple([v.array(v.tuple([v.string(), v.string()]))]),
    result: v.record(v.string(), v.unknown()),
    perform: (game, [query]) => game.diagnostics(new Map(query)),
  }),
  deleteFarmhand: call({
    ...write,
    within: budget.delete,
    args: v.tuple([person]),
    result: nothing,
    perform: async (game, [farmhand]) => void (await game.deleteFarmhand(farmhand)),
  }),
  rebindFarmhand: call({
    ...write,
    args: v.tuple([person, v.string()]),
    result: nothing,
    perform: async (game, [farmhand, identity]) => void (await game.rebindFarmhand(farmhand, identity)),
  }),
  setRendering: call({
    ...write,
    args: v.tuple([number]),
    result: number,
    perform: (game, [fps]) => game.setRendering(fps),
  }),
  setTime: call({
    ...write,
    args: v.tuple([number]),
    result: nothing,
    perform: async (game, [timeOfDay]) => void (await game.setTime(timeOfDay)),
  }),
  grantAdmin: call({
    ...write,
    args: v.tuple([person]),
    result: v.string(),
    perform: (game, [player]) => game.grantAdmin(player),
  }),
  sendChat: call({
    ...write,
    args: v.tuple([v.object({ author: v.string(), message: v.string() })]),
    result: nothing,
    perform: async (game, [line]) => void (await game.sendChat(line)),
  }),
  setClockSpeed: call({
    ...write,
    args: v.tuple([number]),
    result: number,
    perform: (game, [multiplier]) => game.setClockSpeed(multiplier),
  }),
  setLoginTimeout: call({
    ...write,
    args: v.tuple([number]),
    result: number,
    perform: (game, [seconds]) => game.setLoginTimeout(seconds),
  }),
  newGame: call({
    ...write,
    within: budget.world,
    args: v.tuple([newGame]),
    result: v.string(),
    perform: (game, [options]) => game.newGame(options),
  }),
  reload: call({
    ...write,
    within: budget.world,
    args: none,
    result: v.string(),
    perform: (game) => game.reload(),
  }),
} as const

type Calls = typeof calls
export type Method = keyof Calls
export type ArgsOf<M extends Method> = Calls[M] extends Call<infer Args, infer _Result> ? Args : never
export type ResultOf<M extends Method> = Calls[M] extends Call<infer _Args, infer Result> ? Result : never
type CallTable = { readonly [M in Method]: Call<ArgsOf<M>, ResultOf<M>> }

/** One call by its name, in the types of that name. */
export const callOf = <M extends Method>(method: M): CallTable[M] => (calls as CallTable)[method]

export const isMethod = (name: string): name is Method => Object.hasOwn(calls, name)
