/** Finds the facts of a save in its text (XML), which is read in pieces. */
import type { GameDay } from '../../handlers/backup-record.ts'
import type { SaveHost } from '../../handlers/save-host.ts'

/** The facts in both files of a save. */
export interface SaveFacts {
  readonly farmName: string
  readonly day: GameDay
  readonly gameVersion: string
  /** Names of the host and the farmhands. */
  readonly people: readonly string[]
  readonly host: SaveHost
}

/** The findings in one file, from its beginning to its end. */
export interface FoundText {
  /** Values of each searched element. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>
  readonly people: ReadonlySet<string>
  /** The last characters, without white space. */
  readonly end: string
}

export type TextScan = ReturnType<typeof scanText>

/** The elements whose values are read, of `SaveGameInfo` and of the file with the name of the folder. */
export const infoElements = [
  'farmName',
  'dayOfMonthForSaveGame',
  'seasonForSaveGame',
  'yearForSaveGame',
  'gameVersion',
  'favoriteThing',
] as const
export const mainElements = ['dayOfMonth'] as const

/**
 * Maximum of different values of one element, and of people: a game takes 100 players. Saves of a hostile game can
 * have any number.
 */
const mostFound = 500

/** Maximum length in bytes of an element that is found although it spans two pieces. */
const overlap = 512

const element = /^<(\w+)>([^<]{0,200})</
/** The name is the first element of a person. */
const person = /^<(?:player|Farmer)(?: [^<>]{0,300})?><name>([^<]{1,100})</
const personNames = ['player', 'Farmer'] as const

/**
 * Searches the bytes for the names of the elements, and decodes only the text around them. A pattern over all
 * characters would take a fifth of the time of compressing the save.
 */
export function scanText(elements: readonly string[]) {
  const values = new Map<string, Set<string>>()
  const people = new Set<string>()
  let before = Buffer.alloc(0)
  const look = (bytes: Buffer) => {
    for (const text of textsAt(bytes, elements)) {
      const [, name = '', value = ''] = element.exec(text) ?? []
      if (elements.includes(name)) values.set(name, added(values.get(name) ?? new Set(), value))
    }
    for (const text of textsAt(bytes, personNames)) {
      const [, name] = person.exec(text) ?? []
      if (name !== undefined) added(people, name)
    }
  }
  return {
    take(piece: Buffer) {
      look(Buffer.concat([before, piece.subarray(0, overlap)]))
      look(piece)
      before = Buffer.concat([before, piece.subarray(-overlap)]).subarray(-overlap)
    },
    found: (): FoundText => ({ values, people, end: before.toString('latin1').trimEnd().slice(-32) }),
  }
}

const added = (to: Set<string>, text: string): Set<string> =>
  to.size < mostFound ? to.add(plainText(text)) : to

/** `<` */
const opening = 0x3c

/**
 * The text from the `<` before each occurrence of the words. Each byte becomes one character, so a piece may end
 * within a character of UTF-8.
 */
function* textsAt(bytes: Buffer, words: readonly string[]): Generator<string, void> {
  for (const word of words)
    for (let at = bytes.indexOf(word, 1); at > 0; at = bytes.indexOf(word, at + 1))
      if (bytes[at - 1] === opening) yield bytes.toString('latin1', at - 1, at + overlap)
}

const seasons = ['spring', 'summer', 'fall', 'winter'] as const

/**
 * @param info found in `SaveGameInfo` @param main found in the file with the name of the folder
 * @returns undefined where they do not belong together, or are not a save
 */
export function factsOf(info: FoundText, main: FoundText): SaveFacts | undefined {
  const of = (name: string) => [...(info.values.get(name) ?? [])][0]
  const season = seasons[Number(of('seasonForSaveGame') ?? Number.NaN)]
  const day = Number(of('dayOfMonthForSaveGame'))
  const year = Number(of('yearForSaveGame'))
  const farmName = of('farmName')
  const isCalendar = day >= 1 && day <= 28 && year >= 1 && Number.isInteger(day) && Number.isInteger(year)
  if (season === undefined || farmName === undefined || !isCalendar) return undefined
  const days = main.values.get('dayOfMonth')
  // A crash between the two renames of a night leaves files of two nights.
  if (days !== undefined && !days.has(String(day))) return undefined
  return {
    farmName,
    day: { season, day, year },
    gameVersion: of('gameVersion') ?? '',
    people: [...new Set([...info.people, ...main.people])].slice(0, mostFound),
    host: hostOf(info),
  }
}

/**
 * The first person of `SaveGameInfo`. The farmer that JunimoServer makes for itself has this name and this favourite
 * thing, which the game writes for every farmer.
 */
function hostOf({ people, values }: FoundText): SaveHost {
  const [name = ''] = people
  const [favoriteThing = 'Junimos'] = values.get('favoriteThing') ?? []
  return { name, isServer: name === 'Server' && favoriteThing === 'Junimos' }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** @param bytes a text of XML, a character for each byte of UTF-8 */
const plainText = (bytes: string): string =>
  Buffer.from(bytes, 'latin1')
    .toString('utf8')
    .replace(/&(amp|lt|gt|quot|apos);/g, (_all, name: string) => entities[name] ?? '')
