/** What mods need of each other, and what therefore does not work. */
import type { ModDependency, ModProblem, ModRecord } from '../../handlers/mod-record.ts'
import { isOlder } from './compare-versions.ts'
import type { FoundMod } from './find-mods.ts'
import type { ManifestDependency, ModManifest } from './manifest.ts'

export const keyOf = (id: string): string => id.toLowerCase()
export const idOf = ({ manifest, folder }: FoundMod): string => manifest?.id ?? folder

interface ByName {
  readonly sides: ReadonlyMap<string, ModRecord['side']>
  readonly updates: ReadonlyMap<string, NonNullable<ModRecord['update']>>
}

/** The mods as the API shows them, by name. */
export function modRecords(found: readonly FoundMod[], { sides, updates }: ByName): ModRecord[] {
  const stateOf = stateAmong(found)
  return found
    .map((mod): ModRecord => {
      const { manifest, folder, isEnabled, problem } = mod
      const id = idOf(mod)
      const update = updates.get(keyOf(id))
      return {
        id,
        folder,
        name: manifest?.name ?? folder,
        version: manifest?.version ?? '',
        author: manifest?.author ?? '',
        ...(manifest?.description !== undefined && { description: manifest.description }),
        enabled: isEnabled,
        kind: manifest?.kind ?? 'code',
        ...(manifest?.contentFor !== undefined && { contentFor: manifest.contentFor.id }),
        dependencies: (manifest?.dependencies ?? []).map((one) => ({ ...one, state: stateOf(one) })),
        side: sides.get(keyOf(id)) ?? 'unknown',
        ...(update !== undefined &&
          manifest !== undefined &&
          isOlder(manifest.version, update.version) && { update }),
        problems: problem === undefined ? problemsOf(mod, found, stateOf) : [problem],
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.folder < b.folder ? -1 : 1))
}

/** Ids of the enabled mods that do not load without a mod. */
export const neededBy = (id: string, found: readonly FoundMod[]): string[] =>
  found.flatMap(({ manifest, isEnabled }) =>
    isEnabled && manifest !== undefined && needs(manifest).some((one) => keyOf(one.id) === keyOf(id))
      ? [manifest.id]
      : [],
  )

const needs = ({ dependencies, contentFor }: ModManifest): ManifestDependency[] => [
  ...(contentFor === undefined ? [] : [contentFor]),
  ...dependencies.filter(({ required }) => required),
]

type StateOf = (dependency: ManifestDependency) => ModDependency['state']

function stateAmong(found: readonly FoundMod[]): StateOf {
  const byId = Map.groupBy(found, (mod) => keyOf(idOf(mod)))
  return ({ id, minimumVersion }) => {
    const versions = (byId.get(keyOf(id)) ?? []).filter(({ manifest }) => manifest !== undefined)
    const enabled = versions.filter(({ isEnabled }) => isEnabled)
    // SMAPI brings these with it, in the folder of the game.
    if (versions.length === 0) return /^smapi\./i.test(id) ? 'ok' : 'missing'
    if (enabled.length === 0) return 'disabled'
    const isOk = ({ manifest }: FoundMod) =>
      minimumVersion === undefined || isOlder(manifest?.version ?? '', minimumVersion) !== true
    return enabled.some(isOk) ? 'ok' : 'too_old'
  }
}

function problemsOf(mod: FoundMod, found: readonly FoundMod[], stateOf: StateOf): ModProblem[] {
  const { manifest, folder, isEnabled } = mod
  if (!isEnabled || manifest === undefined) return []
  const others = found.filter(
    (one) =>
      one.isEnabled && one.folder !== folder && one.manifest && keyOf(one.manifest.id) === keyOf(manifest.id),
  )
  const wanted = [
    ...(manifest.contentFor === undefined ? [] : [manifest.contentFor]),
    ...manifest.dependencies,
  ]
  return [
    ...others.map(
      (other): ModProblem => ({
        code: 'duplicate',
        of: other.folder,
        message: `The same mod is also in ${other.folder}; the game loads neither`,
      }),
    ),
    ...wanted.flatMap((one): ModProblem[] => {
      const state = stateOf(one)
      // An optional mod that is there must be new enough too.
      if (state === 'ok' || (!one.required && state !== 'too_old')) return []
      return [{ code: `dependency_${state}`, of: one.id, message: sentences[state](one) }]
    }),
  ]
}

const sentences = {
  missing: ({ id }: ManifestDependency) => `It needs ${id}, which is not installed`,
  disabled: ({ id }: ManifestDependency) => `It needs ${id}, which is disabled`,
  too_old: ({ id, minimumVersion = '' }: ManifestDependency) => `It needs ${id} ${minimumVersion} or newer`,
} as const
