/** The mods of the game server, as `/mods` shows them. */
import * as v from 'valibot'
import { described } from './described.ts'
import { timestamp } from './game-records.ts'

/** Maximum of bytes of an uploaded zip. */
export const maxModsZip = 256 * 1024 ** 2

export const modSide = described(
  'Who needs the mod; `unknown` until an operator says it.',
  v.picklist(['server', 'players', 'unknown'], "Member 'side' must be server, players or unknown"),
)
export type ModSide = v.InferOutput<typeof modSide>

const modProblemCode = v.picklist([
  'no_manifest',
  'bad_manifest',
  'duplicate',
  'dependency_missing',
  'dependency_disabled',
  'dependency_too_old',
])

/** Why SMAPI does not load a mod. */
export const modProblem = v.object({
  code: modProblemCode,
  /** The other mod, or the other folder. */
  of: v.exactOptional(v.string()),
  message: v.string(),
})
export type ModProblem = Readonly<v.InferOutput<typeof modProblem>>

export const modDependency = v.object({
  id: v.string(),
  minimumVersion: v.exactOptional(v.string()),
  required: v.boolean(),
  state: v.picklist(['ok', 'missing', 'disabled', 'too_old']),
})
export type ModDependency = Readonly<v.InferOutput<typeof modDependency>>

const furtherOnes = v.pipe(v.number(), v.safeInteger(), v.minValue(1))

export const modRecord = v.object({
  id: described("SMAPI's UniqueID; the folder of a mod without a readable manifest.", v.string()),
  folder: described('Below the folder of the mods, with `/`.', v.string()),
  name: v.string(),
  version: v.string(),
  author: v.string(),
  description: v.exactOptional(v.string()),
  enabled: v.boolean(),
  kind: v.picklist(['code', 'content']),
  contentFor: v.exactOptional(described('The mod that reads this content pack.', v.string())),
  dependencies: v.array(modDependency),
  moreDependencies: v.exactOptional(described('How many further ones are not shown.', furtherOnes)),
  side: modSide,
  update: v.exactOptional(v.object({ version: v.string(), url: v.string() })),
  problems: v.array(modProblem),
  moreProblems: v.exactOptional(described('How many further ones are not shown.', furtherOnes)),
})
export type ModRecord = Readonly<v.InferOutput<typeof modRecord>>

export const modList = v.object({
  mods: v.array(modRecord),
  restartNeeded: described('A mod was changed after the game had started.', v.boolean()),
  access: described('`ro`: farmgate may not change the mods (MODS_ACCESS).', v.picklist(['ro', 'rw'])),
  incomplete: v.exactOptional(
    described('The folder has more than farmgate reads; some mods are missing here.', v.literal(true)),
  ),
})
export type ModList = Readonly<v.InferOutput<typeof modList>>

const installedMod = v.object({
  id: v.string(),
  name: v.string(),
  version: v.string(),
  folder: v.string(),
})
export type InstalledMod = Readonly<v.InferOutput<typeof installedMod>>

export const installedMods = v.object({
  installed: v.array(installedMod),
  replaced: v.array(installedMod),
})
export type InstalledMods = Readonly<v.InferOutput<typeof installedMods>>

export const modUpdate = v.object({
  id: v.string(),
  installed: v.string(),
  version: v.string(),
  url: v.string(),
})
export type ModUpdate = Readonly<v.InferOutput<typeof modUpdate>>

export const packLink = v.object({
  id: v.string(),
  url: described('The address of the download, relative to the API without PUBLIC_URL.', v.string()),
  expiresAt: timestamp,
})
export const packLinkRecord = v.object({
  id: v.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
  by: described('The key or person that made it.', v.object({ id: v.string(), name: v.string() })),
})
export type PackLinkRecord = Readonly<v.InferOutput<typeof packLinkRecord>>
export type PackLink = Readonly<v.InferOutput<typeof packLink>>
