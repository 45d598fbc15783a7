/** Folders, files and keys that two farms of one process cannot have together: what opens one farm opens no other. */
import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Config } from './config.ts'
import { modsOffDir } from './game-mods.ts'

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

const places = [
  'DATA_DIR',
  'SAVES_DIR',
  'BACKUP_DIR',
  'MODS_DIR',
  'MODS_OFF_DIR',
  'KEYS_DIR',
  'SETTINGS_PATH',
  'GAME_LOG',
] as const
const keys = ['API_KEY', 'EDGE_LINK_KEY'] as const

interface Belonging {
  readonly variable: string
  readonly value: string
}

/** @returns what of the later farm is that of the earlier one too: each variable once, without its value */
export function sharedPlaces(earlier: FarmFile, later: FarmFile): readonly Shared[] {
  const [before, after] = [earlier, later].map(({ config }) => ({
    places: places.flatMap((name) =>
      belonging(name, placeOf(name === 'MODS_OFF_DIR' ? modsOffDir(config) : config[name])),
    ),
    keys: keys.flatMap((name) => belonging(name, config[name])),
  }))
  if (before === undefined || after === undefined) return []
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

const belonging = (variable: string, value: string | undefined): readonly Belonging[] =>
  value === undefined ? [] : [{ variable, value }]

function problemOf(variable: string, owner: Belonging, value: string, file: string): string {
  const isSame = value === owner.value
  if (isSame && variable === owner.variable) return `is that of ${file} too; each farm needs its own`
  const relation = isSame ? 'is' : value.startsWith(owner.value) ? 'is within' : 'contains'
  return `${relation} ${owner.variable} of ${file}; each farm needs its own`
}

/** Whether two paths are one, or one is within the other. */
const overlaps = (one: string, other: string): boolean =>
  one === other || one.startsWith(below(other)) || other.startsWith(below(one))
const below = (path: string) => (path.endsWith(sep) ? path : `${path}${sep}`)

/**
 * One path for a file or folder, whatever links lead to it, also where it does not exist yet.
 * @param links how many more links to nothing are followed
 */
function placeOf(path: string | undefined, links = 40): string | undefined {
  if (path === undefined) return undefined
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const above = dirname(whole)
    if (above === whole) return whole
    const folder = placeOf(above, links) ?? above
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
