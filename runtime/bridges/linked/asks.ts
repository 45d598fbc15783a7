/** The calls of the port that cross the link as they are. */
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import type { ArgsOf, Method, ResultOf } from '../../link/calls.ts'

type Ask = <M extends Method>(method: M, args: ArgsOf<M>) => Promise<ResultOf<M>>

export const asksOf = (ask: Ask): Pick<GameBridge, Method> => ({
  players: () => ask('players', []),
  inviteCode: () => ask('inviteCode', []),
  farmhands: () => ask('farmhands', []),
  settings: () => ask('settings', []),
  cabins: () => ask('cabins', []),
  rendering: () => ask('rendering', []),
  stats: () => ask('stats', []),
  screenshot: () => ask('screenshot', []),
  passwordProtection: () => ask('passwordProtection', []),
  diagnostics: (query) => ask('diagnostics', [[...query]]),
  deleteFarmhand: (farmhand) => ask('deleteFarmhand', [farmhand]),
  rebindFarmhand: (farmhand, identity) => ask('rebindFarmhand', [farmhand, identity]),
  setRendering: (fps) => ask('setRendering', [fps]),
  setTime: (timeOfDay) => ask('setTime', [timeOfDay]),
  grantAdmin: (player) => ask('grantAdmin', [player]),
  sendChat: (line) => ask('sendChat', [line]),
  setClockSpeed: (multiplier) => ask('setClockSpeed', [multiplier]),
  setLoginTimeout: (seconds) => ask('setLoginTimeout', [seconds]),
  newGame: (options) => ask('newGame', [options]),
  reload: () => ask('reload', []),
})
