/** The farm at a glance as a small picture, for a README or a web page. Pure. */
import type { GameMoment } from './game-moment.ts'
import type { Status } from './game-records.ts'

/** Players can join now. */
const isOpen = ({ isReady, connectionStatusCode = 'ready' }: Status, moment: GameMoment): boolean =>
  moment === 'day' && isReady && connectionStatusCode === 'ready'

/** @returns SVG: name of the farm, day, players, and whether they can join. The day is left out of a game never seen. */
export function badge(status: Status, moment: GameMoment): string {
  const { farmName, season, day, year, playerCount, maxPlayers } = status
  const open = isOpen(status, moment)
  const name = shortened(farmName) || 'Farm'
  const facts = [
    ...(season === '' ? [] : [`${season} ${day}, year ${year}`]),
    `${playerCount}/${maxPlayers} players`,
    open ? 'open' : 'not open',
  ].join(' · ')
  const [left, right] = [widthOf(name) + 12, widthOf(facts) + 12]
  const text = (words: string, x: number) =>
    `<text x="${x + 6}" y="14" textLength="${widthOf(words)}">${escaped(words)}</text>`
  const label = escaped(`${name}: ${facts}`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}">`,
    `<title>${label}</title>`,
    `<rect width="${left}" height="20" fill="#444"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${open ? '#2b7a3f' : '#8a5a00'}"/>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`,
    text(name, 0),
    text(facts, left),
    '</g></svg>',
  ].join('')
}

/** Characters of the farm's name. */
const longest = 32

/** Without the characters that no XML can hold, and those that reverse the direction of writing. */
const shortened = (name: string) => [...name.replace(/\p{C}/gu, '').trim()].slice(0, longest).join('')

/** Pixels. The browser's fonts differ, so each text is drawn at the width that is estimated here. */
const widthOf = (text: string) =>
  [...text].reduce(
    (sum, character) => sum + (/[\u1100-\uffff]|\p{Extended_Pictographic}/u.test(character) ? 12 : 7),
    0,
  )

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
