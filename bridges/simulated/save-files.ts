/**
 * Writes saves as the game does, in the same order: both files under temporary names; the old copies removed; the
 * existing files renamed to old copies; the temporary ones renamed. Nothing is flushed to the disk, and for a moment
 * neither file has its name.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FarmDate } from './calendar.ts'

export interface GameSave {
  readonly farmName: string
  /** The number that the game gives each farm. */
  readonly farmId: number
  readonly date: FarmDate
  readonly host: string
  readonly farmhands: readonly string[]
  readonly gameVersion: string
  /** Minimum size of the larger file; a small one unless given. */
  readonly bytes?: number
}

/** One change of a file. A game that crashes has made the earlier ones. */
export interface SavingStep {
  readonly what: string
  run(): void
}

const temporaryEnd = '_STARDEWVALLEYSAVETMP'
const info = 'SaveGameInfo'
const pieceLength = 1024 * 1024

/** The name of the folder and of the larger file in it. */
export const saveName = ({ farmName, farmId }: Pick<GameSave, 'farmName' | 'farmId'>): string =>
  `${farmName.replace(/[^\p{L}\p{N}]/gu, '')}_${farmId}`

/**
 * @param saves the folder of all saves, made when it is missing
 * @param name of the folder, where it was renamed
 */
export function savingSteps(saves: string, save: GameSave, name = saveName(save)): readonly SavingStep[] {
  const folder = join(saves, name)
  const at = (file: string) => join(folder, file)
  const step = (what: string, run: () => void): SavingStep => ({ what, run })
  const written = (file: string, text: string) =>
    piecesOf(text).map((piece, number) =>
      step(`piece ${number} of ${file}${temporaryEnd}`, () => {
        if (number === 0) writeFileSync(at(file + temporaryEnd), piece)
        else appendFileSync(at(file + temporaryEnd), piece)
      }),
    )
  const moved = (from: string, to: string) =>
    step(`${from} becomes ${to}`, () => {
      if (existsSync(at(from))) renameSync(at(from), at(to))
    })
  return [
    step('the folder', () => mkdirSync(folder, { recursive: true })),
    ...written(name, mainText(save)),
    ...written(info, infoText(save)),
    ...[name, info].map((file) =>
      step(`${file}_old is removed`, () => rmSync(at(`${file}_old`), { force: true })),
    ),
    ...[name, info].map((file) => moved(file, `${file}_old`)),
    ...[name, info].map((file) => moved(file + temporaryEnd, file)),
  ]
}

/**
 * Loads a save as the game does at its start and at a reload.
 * @returns undefined when there is none, or it is unreadable
 */
export function loadSave(saves: string, name: string): Pick<GameSave, 'farmName' | 'date'> | undefined {
  const read = (file: string) => {
    const path = join(saves, name, file)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  const main = read(name)
  const text = read(info)
  if (!main.endsWith('</SaveGame>') || !text.endsWith('</Farmer>')) return undefined
  const of = (source: string, element: string) => new RegExp(`<${element}>([^<]*)<`).exec(source)?.[1] ?? ''
  const season = seasons.find((one) => one === of(main, 'currentSeason'))
  const farmName = unescaped(of(text, 'farmName'))
  return (
    season && {
      farmName,
      date: { season, day: Number(of(main, 'dayOfMonth')), year: Number(of(main, 'year')) },
    }
  )
}

/** At least two, so that a crash can leave half of a file. */
function piecesOf(text: string): string[] {
  const length = Math.min(pieceLength, Math.ceil(text.length / 2))
  return Array.from({ length: Math.ceil(text.length / length) }, (_piece, at) =>
    text.slice(at * length, (at + 1) * length),
  )
}

const seasons = ['spring', 'summer', 'fall', 'winter'] as const
const names = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const declaration = '<?xml version="1.0" encoding="utf-8"?>'
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (text: string) => text.replace(/[&<>]/g, (one) => escapes[one] ?? one)
const unescaped = (text: string) =>
  Object.entries(escapes).reduceRight((plain, [one, entity]) => plain.replaceAll(entity, one), text)

const personOf = (name: string, { farmName, date, gameVersion }: GameSave) =>
  `<name>${escaped(name)}</name><farmName>${escaped(farmName)}</farmName>` +
  `<yearForSaveGame>${date.year}</yearForSaveGame>` +
  `<seasonForSaveGame>${seasons.indexOf(date.season)}</seasonForSaveGame>` +
  `<dayOfMonthForSaveGame>${date.day}</dayOfMonthForSaveGame><gameVersion>${gameVersion}</gameVersion>` +
  `<favoriteThing>${name === 'Server' ? 'Junimos' : 'Fishing'}</favoriteThing>`

const infoText = (save: GameSave) => `${declaration}<Farmer ${names}>${personOf(save.host, save)}</Farmer>`

function mainText(save: GameSave): string {
  const { date, farmId, gameVersion, bytes = 0 } = save
  const head = `${declaration}<SaveGame ${names}><player>${personOf(save.host, save)}</player><farmhands>${save.farmhands
    .map((name) => `<Farmer>${personOf(name, save)}</Farmer>`)
    .join('')}</farmhands><locations>`
  const tail = `</locations><currentSeason>${date.season}</currentSeason><dayOfMonth>${date.day}</dayOfMonth><year>${
    date.year
  }</year><uniqueIDForThisGame>${farmId}</uniqueIDForThisGame><gameVersion>${gameVersion}</gameVersion></SaveGame>`
  return head + tiles(bytes - head.length - tail.length, farmId) + tail
}

/** Text of at least that length that compresses as well as a farm's ground. */
function tiles(length: number, farmId: number): string {
  const parts: string[] = []
  let random = farmId
  for (let made = 0; made < length; ) {
    random = (random * 48_271) % 2_147_483_647
    const part = `<item><key><Vector2><X>${random % 80}</X><Y>${random % 65}</Y></Vector2></key><value><Object><stack>${
      random % 999
    }</stack><price>${random}</price></Object></value></item>`
    parts.push(part)
    made += part.length
  }
  return parts.join('')
}
