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

/** Maximum of problems, and of dependencies, that a mod shows; the rest is counted. */
const mostShown = 20
/** Of all mods together, in bytes of JSON: `GET /mods` has at most 8 MiB. */
const mostBytes = 8 * 1024 ** 2 - 64 * 1024

/**
 * The mods as the API shows them, by name.
 * @returns `isWhole`: none is left out, as one is whose names alone take more than its part of the bytes
 */
export function modRecords(found: readonly FoundMod[], { sides, updates }: ByName) {
  const problemsOf = problemsAmong(found)
  const most = Math.floor(mostBytes / Math.max(1, found.length))
  const mods = found
    .flatMap((mod): ModRecord | [] => {
      const { manifest, folder, isEnabled } = mod
      const id = idOf(mod)
      const update = updates.get(keyOf(id))
      const { problems, count, dependencies } = problemsOf(mod)
      const named = {
        id,
        folder,
        name: manifest?.name ?? folder,
        version: manifest?.version ?? '',
        author: manifest?.author ?? '',
        ...(manifest?.description !== undefined && { description: manifest.description }),
        enabled: isEnabled,
        kind: manifest?.kind ?? 'code',
        ...(manifest?.contentFor !== undefined && { contentFor: manifest.contentFor.id }),
        side: sides.get(keyOf(id)) ?? 'unknown',
        ...(update !== undefined &&
          manifest !== undefined &&
          isOlder(manifest.version, update.version) && { update }),
      } as const
      // A mod with problems always shows one.
      let left = most - bytesOf({ ...named, problems: problems.slice(0, 1) }) - 100
      if (left < 0) return []
      const fitting = <T>(all: readonly T[]): T[] =>
        all.slice(0, mostShown).filter((one) => {
          left -= bytesOf(one) + 1
          return left >= 0
        })
      const shownProblems = [...problems.slice(0, 1), ...fitting(problems.slice(1))]
      const shownDependencies = fitting(dependencies)
      return {
        ...named,
        dependencies: shownDependencies,
        ...more('moreDependencies', dependencies.length - shownDependencies.length),
        problems: shownProblems,
        ...more('moreProblems', count - shownProblems.length),
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.folder < b.folder ? -1 : 1))
  return { mods, isWhole: mods.length === found.length }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const more = <Name extends string>(name: Name, count: number) =>
  count > 0 ? ({ [name]: count } as { readonly [one in Name]: number }) : undefined

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

/** The mods with one id. */
interface SameId {
  readonly enabled: readonly FoundMod[]
  /** The newest of the enabled versions. */
  readonly newest: string
  /** An enabled version cannot be compared, so it counts as new enough. */
  readonly isUnknown: boolean
}

/** Compares each mod with those of its own id and of the ids that it names only, however many there are. */
function problemsAmong(found: readonly FoundMod[]) {
  const byId = new Map<string, SameId>()
  for (const [id, same] of Map.groupBy(found, (mod) => keyOf(idOf(mod)))) {
    const readable = same.filter(({ manifest }) => manifest !== undefined)
    const enabled = readable.filter(({ isEnabled }) => isEnabled)
    const versions = enabled.map(({ manifest }) => manifest?.version ?? '')
    if (readable.length > 0)
      byId.set(id, {
        enabled,
        newest: versions.reduce(
          (one, other) => (isOlder(one, other) === true ? other : one),
          versions[0] ?? '',
        ),
        isUnknown: versions.some((version) => isOlder(version, version) === undefined),
      })
  }
  const stateOf: StateOf = ({ id, minimumVersion }) => {
    const same = byId.get(keyOf(id))
    // SMAPI brings these with it, in the folder of the game.
    if (same === undefined) return /^smapi\./i.test(id) ? 'ok' : 'missing'
    if (same.enabled.length === 0) return 'disabled'
    const isOk =
      minimumVersion === undefined || same.isUnknown || isOlder(same.newest, minimumVersion) !== true
    return isOk ? 'ok' : 'too_old'
  }
  /** @returns all dependencies, and the first problems of so many */
  return ({ manifest, folder, isEnabled, problem }: FoundMod) => {
    const dependencies = (manifest?.dependencies ?? []).map((one) => ({ ...one, state: stateOf(one) }))
    if (problem !== undefined) return { problems: [problem], count: 1, dependencies }
    if (!isEnabled || manifest === undefined) return { problems: [], count: 0, dependencies }
    const { contentFor } = manifest
    const same = byId.get(keyOf(manifest.id))?.enabled ?? []
    const others = same.slice(0, mostShown + 1).filter((one) => one.folder !== folder)
    const wanted = [
      ...(contentFor === undefined ? [] : [{ ...contentFor, state: stateOf(contentFor) }]),
      ...dependencies,
    ]
    const needed = wanted.flatMap((one): ModProblem[] => {
      const { state } = one
      // An optional mod that is there must be new enough too.
      if (state === 'ok' || (!one.required && state !== 'too_old')) return []
      return [{ code: `dependency_${state}`, of: one.id, message: sentences[state](one) }]
    })
    const duplicates = others.map(
      (other): ModProblem => ({
        code: 'duplicate',
        of: other.folder,
        message: `The same mod is also in ${other.folder}; the game loads neither`,
      }),
    )
    return {
      problems: [...duplicates, ...needed].slice(0, mostShown),
      count: Math.max(0, same.length - 1) + needed.length,
      dependencies,
    }
  }
}

const sentences = {
  missing: ({ id }: ManifestDependency) => `It needs ${id}, which is not installed`,
  disabled: ({ id }: ManifestDependency) => `It needs ${id}, which is disabled`,
  too_old: ({ id, minimumVersion = '' }: ManifestDependency) => `It needs ${id} ${minimumVersion} or newer`,
} as const
