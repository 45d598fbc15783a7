/** The `manifest.json` of a mod, as SMAPI reads it: JSON with comments and trailing commas, members in any case. */
import * as v from 'valibot'
import { readCommented } from '../../lib/foreign/commented.ts'
import { checkForeign, listOf } from '../../lib/foreign/read.ts'

/** Maximum of bytes of a manifest; real ones have one or two kilobytes. */
export const maxManifestBytes = 256 * 1024
/** More than a manifest with the most dependencies has; other members may be in it too. */
const maxValues = 10_000
const manifestFile = 'manifest.json'
export const isManifest = (name: string): boolean => name.toLowerCase() === manifestFile

/** Two or three numbers without leading zeros, a tag and build metadata. */
export const modVersion = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(64),
  v.regex(/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){1,2}(-[\dA-Za-z.-]+)?(\+[\dA-Za-z.-]+)?$/),
)

/** Manifests of before SMAPI 2 have the numbers as members. */
const oldVersion = v.pipe(
  v.object({
    majorversion: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
    minorversion: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
    patchversion: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
  }),
  v.transform((old) => `${old.majorversion}.${old.minorversion}.${old.patchversion}`),
)

const modId = v.pipe(v.string(), v.trim(), v.maxLength(128), v.regex(/^[\w.-]+$/))
/** Shown to people: one line without control characters. */
const text = (most: number) =>
  v.pipe(
    v.string(),
    v.transform((words) =>
      words
        .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
        .trim()
        .slice(0, most),
    ),
  )

const dependency = v.pipe(
  v.object({
    uniqueid: modId,
    minimumversion: v.nullish(v.fallback(v.nullable(modVersion), null)),
    isrequired: v.nullish(v.boolean(), true),
  }),
  v.transform(({ uniqueid, minimumversion, isrequired }) => ({
    id: uniqueid,
    ...(minimumversion != null && { minimumVersion: minimumversion }),
    required: isrequired !== false,
  })),
)
export type ManifestDependency = Readonly<v.InferOutput<typeof dependency>>

const manifest = v.object({
  uniqueid: modId,
  name: v.pipe(text(128), v.minLength(1)),
  version: v.union([modVersion, oldVersion]),
  author: v.nullish(text(128), ''),
  description: v.nullish(text(500)),
  entrydll: v.nullish(v.pipe(v.string(), v.trim())),
  contentpackfor: v.nullish(dependency),
  dependencies: v.nullish(listOf(dependency, 200), []),
  updatekeys: v.nullish(v.fallback(listOf(v.pipe(v.string(), v.maxLength(200)), 1000), []), []),
})

const members: Readonly<Record<string, string>> = {
  uniqueid: 'UniqueID',
  name: 'Name',
  version: 'Version',
  contentpackfor: 'ContentPackFor',
  dependencies: 'Dependencies',
}

/**
 * @param bytes the whole file
 * @returns what is wrong with it, as the end of a sentence about it, where SMAPI would not take it
 */
export function readModManifest(bytes: Buffer): ModManifest | { readonly wrong: string } {
  const json = readCommented(bytes.toString('utf8').replace(/^\uFEFF/, ''), { values: maxValues })
  if (json === undefined) return { wrong: 'is not JSON' }
  const read = checkForeign(manifest, lowerCase(json))
  if (!read.success) {
    const member = members[String(read.issues[0].path?.[0]?.key)] ?? 'a member'
    return { wrong: `has no valid ${member}` }
  }
  const { contentpackfor: contentFor, entrydll } = read.output
  return (contentFor == null) === !entrydll
    ? { wrong: 'must have either EntryDll or ContentPackFor' }
    : manifestOf(read.output)
}

function manifestOf(read: v.InferOutput<typeof manifest>) {
  const { uniqueid: id, name, version, author, description, contentpackfor: contentFor } = read
  return {
    id,
    name,
    version,
    author,
    ...(description != null && description !== '' && { description }),
    kind: contentFor == null ? ('code' as const) : ('content' as const),
    ...(contentFor != null && { contentFor: { ...contentFor, required: true } }),
    dependencies: read.dependencies ?? [],
    updateKeys: (read.updatekeys ?? []).slice(0, 20),
  }
}

export type ModManifest = Readonly<ReturnType<typeof manifestOf>>

/** The same value with the names of members in lower case; of two equal names the last counts. */
function lowerCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1000).map(lowerCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toLowerCase(), lowerCase(one)]))
}
