/** The body of `POST /saves/new`: the settings of the new farm, and how the game is stopped for it. */
import * as v from 'valibot'
import { described } from './described.ts'
import { hostRequest } from './host-record.ts'
import { type SettingsPatch, settingsPatch } from './settings-change.ts'

const { farmName, farmType, profitMargin, startingCabins, spawnMonstersAtNight } =
  settingsPatch.entries.game.wrapped.entries
const { cabinStrategy, maxPlayers, separateWallets, allowCabinRelocation, allowIpConnections } =
  settingsPatch.entries.server.wrapped.entries

const game = v.object({
  farmName: farmName.wrapped,
  farmType,
  profitMargin,
  startingCabins,
  spawnMonstersAtNight,
})
const server = v.object({
  cabinStrategy,
  maxPlayers,
  separateWallets,
  allowCabinRelocation,
  allowIpConnections,
})

export const newFarm = described(
  'A new farm; missing settings stay as the settings file has them.',
  v.strictObject({ ...game.entries, ...server.entries, ...hostRequest.entries }),
)
export type NewFarm = v.InferOutput<typeof newFarm>

/** The members of the settings file for a new farm. */
export const settingsOf = (options: NewFarm) =>
  ({ game: v.parse(game, options), server: v.parse(server, options) }) satisfies SettingsPatch

/** How the game is stopped for it. */
export const stopFor = ({ when, warnMinutes, backup, force, reason }: NewFarm) => ({
  ...{ when, warnMinutes, backup, force },
  ...(reason !== undefined && { reason }),
})
