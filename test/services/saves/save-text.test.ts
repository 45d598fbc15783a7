import { expect, test } from 'vitest'
import { factsOf, infoElements, mainElements, scanText } from '../../../services/saves/save-text.ts'

const info =
  '<?xml version="1.0"?><Farmer xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><name>Zoë &amp; 春</name>' +
  '<farmName>Grüne Höfe &lt;3</farmName><dayOfMonthForSaveGame>5</dayOfMonthForSaveGame>' +
  '<seasonForSaveGame>1</seasonForSaveGame><yearForSaveGame>2</yearForSaveGame><gameVersion>1.6.15</gameVersion></Farmer>\n'
const main =
  '<SaveGame><player><name>Zoë &amp; 春</name><favoriteThing>player</favoriteThing></player><farmhands><Farmer>' +
  '<name>Abby</name></Farmer><Farmer xsi:type="Farmer"><name>Robin</name></Farmer><Farmer /><Farmer><gender>0</gender>' +
  '</Farmer></farmhands><locations><item><name>Farmer</name></item></locations><dayOfMonth>5</dayOfMonth></SaveGame>'

function found(text: string, elements: readonly string[], length: number) {
  const scan = scanText(elements)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += length) scan.take(bytes.subarray(at, at + length))
  return scan.found()
}

test.each([1, 2, 3, 7, 64, 511, 512, 513, 700, 100_000])(
  'farm, day, version and people of a save are found when it is read in pieces of %i bytes',
  (length) => {
    const padded = main.replace('<locations>', `<locations>${'<tile>1</tile>'.repeat(300)}`)
    expect(factsOf(found(info, infoElements, length), found(padded, mainElements, length))).toEqual({
      farmName: 'Grüne Höfe <3',
      day: { season: 'summer', day: 5, year: 2 },
      gameVersion: '1.6.15',
      people: ['Zoë & 春', 'Abby', 'Robin'],
      host: { name: 'Zoë & 春', isServer: false },
    })
  },
)

test.each([
  ['Server', 'Junimos', true],
  ['Server', 'Pizza', false],
  ['Robin', 'Junimos', false],
])("a host of the name %s, whose favourite thing is %s, is the server's own: %s", (name, thing, isServer) => {
  const own = info
    .replace(/<name>[^<]*</, `<name>${name}<`)
    .replace('</Farmer>', `<favoriteThing>${thing}</favoriteThing></Farmer>`)
  const facts = factsOf(found(own, infoElements, 100), found(main, mainElements, 100))
  expect(facts?.host).toEqual({ name, isServer })
})

test('files of two days, an invalid day and a missing farm are not a save', () => {
  const facts = (oneInfo: string, oneMain = main) =>
    factsOf(found(oneInfo, infoElements, 1000), found(oneMain, mainElements, 1000))
  expect(facts(info)).toBeDefined()
  expect(facts(info, main.replace('<dayOfMonth>5', '<dayOfMonth>6'))).toBeUndefined()
  expect(facts(info.replace('SaveGame>5<', 'SaveGame>29<'))).toBeUndefined()
  expect(facts(info.replace('seasonForSaveGame>1', 'seasonForSaveGame>7'))).toBeUndefined()
  expect(facts(info.replace('<farmName>', '<name>'))).toBeUndefined()
})

test('the end of the text is returned without trailing white space', () => {
  expect(found(info, infoElements, 4).end.endsWith('</gameVersion></Farmer>')).toBe(true)
})

test('in a hostile save at most 500 people and values of an element are read', () => {
  const many = (element: string, open = '', close = '') =>
    Array.from({ length: 3000 }, (_, at) => `<${element}>${open}${at}${close}</${element}>`).join('')
  const text = `<SaveGame>${many('Farmer', '<name>', '</name>')}${many('dayOfMonth')}</SaveGame>`
  const { people, values } = found(text, mainElements, 70_000)
  expect([people.size, values.get('dayOfMonth')?.size]).toEqual([500, 500])
  const others = { ...found(info, infoElements, 1000), people: new Set(Array.from({ length: 500 }, String)) }
  expect(factsOf(others, { people, values: new Map(), end: '' })?.people).toHaveLength(500)
})
