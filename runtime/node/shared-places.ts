/** Folders, files, prefixes of a bucket and keys that two farms of one process cannot have together: what opens one farm opens no other. */
import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { VariableTraits } from '../../lib/environment.ts'
import type { Config } from './config.ts'
import { modsOffDir } from './game-mods.ts'
import { variables } from './variables.ts'

export interface Shared {
  readonly variable: string
  /** Completes a sentence that begins with the variable. */
  readonly problem: string
}

/** One farm's variables, by its file. */
export interface FarmFile {
  readonly file: string
  readonly config: Config
}

const traits: Readonly<Record<string, VariableTraits>> = variables.traits

interface Belonging {
  readonly variable: string
  readonly value: string
}

/** @returns what of the later farm is that of the earlier one too: each variable once, without its value */
export function sharedPlaces(earlier: FarmFile, later: FarmFile): readonly Shared[] {
  const [before, after] = [belongings(earlier.config), belongings(later.config)]
  const shared = (
    mine: readonly Belonging[],
    theirs: readonly Belonging[],
    isShared: (one: string, other: string) => boolean,
  ): readonly Shared[] =>
    mine.flatMap(({ variable, value }) => {
      const found = theirs.filter((other) => isShared(value, other.value))
      const owner = found.find((other) => other.variable === variable) ?? found[0]
      return owner === undefined
        ? []
        : [{ variable, problem: problemOf(variable, owner, value, earlier.file) }]
    })
  return [
    ...shared(after.places, before.places, overlaps),
    ...shared(after.keys, before.keys, (one, other) => one === other),
  ]
}

function belongings(config: Config) {
  const all = Object.entries({ ...config, MODS_OFF_DIR: modsOffDir(config) })
  const ownAs = (kind: VariableTraits['own'], read: (text: string) => string): readonly Belonging[] =>
    all.flatMap(([variable, value]) =>
      typeof value === 'string' && traits[variable]?.own === kind ? [{ variable, value: read(value) }] : [],
    )
  return {
    places: ownAs('place', (text) => addressOf(text) ?? placeOf(text)),
    keys: ownAs('key', (text) => text),
  }
}

/** @returns undefined for a text that is not the address of a server */
export const addressOf = (text: string | undefined): string | undefined =>
  text !== undefined && /^https?:/i.test(text) ? URL.parse(text)?.href.replace(/\/+$/, '') : undefined

function problemOf(variable: string, owner: Belonging, value: string, file: string): string {
  const isSame = value === owner.value
  if (isSame && variable === owner.variable) return `is that of ${file} too; each farm needs its own`
  const relation = isSame ? 'is' : value.startsWith(owner.value) ? 'is within' : 'contains'
  return `${relation} ${owner.variable} of ${file}; each farm needs its own`
}

/** Whether two paths are one, or one is within the other. */
const overlaps = (one: string, other: string): boolean =>
  one === other || one.startsWith(below(other)) || other.startsWith(below(one))
const below = (place: string) => {
  const end = addressOf(place) === undefined ? sep : '/'
  return place.endsWith(end) ? place : `${place}${end}`
}

/**
 * One path for a file or folder, whatever links lead to it, also where it does not exist yet.
 * @param links how many more links to nothing are followed
 */
function placeOf(path: string, links = 40): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const above = dirname(whole)
    if (above === whole) return whole
    const folder = placeOf(above, links)
    const target = links > 0 ? linkAt(join(folder, basename(whole))) : undefined
    return target === undefined ? join(folder, basename(whole)) : placeOf(resolve(folder, target), links - 1)
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
