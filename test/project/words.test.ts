/**
 * Sentences that a person reads are plain English: none has a word of the project's old dialect. A folder joins by a row
 * of `read`; an exception has its reason.
 */
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { everyCommand } from '../cli/every-command.ts'
import { runInTurn } from '../cli/farmgate.ts'
import { readText } from '../compose.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A term of the dialect, what to write instead, and a sentence with the term. */
const terms: readonly (readonly [RegExp, string, string])[] = [
  [/\b(tell|tells|told|telling)\b/i, 'report, return, send, notify, show', 'clients are told'],
  [/\b(?:is|are|was|goes|went|stays?) away\b/i, 'offline, unreachable', 'the game is away'],
  [/\b(?:is|are) gone\b/i, 'offline, deleted', 'the process is gone'],
  [/(?<!there )\b(is|are|was|were) no (?!longer\b|more\b|one\b)/i, 'is not a', 'it is no folder'],
  [/\b(some|any|no|every)body\b/i, 'anyone, no one, everyone, the player', 'nobody can be asked'],
  [/\belsewhere\b/i, 'off-site, another folder, another process', 'a save from elsewhere'],
  [/\bbesides?\b/i, 'next to, in addition to', 'the text beside each'],
  [/\b(go|goes|going|went) on\b/i, 'continues, resumes, keeps', 'it goes on there'],
  [/\bto be called\b/i, 'call this when', 'a function to be called'],
  [/\b(door|doors|wish|wishes|mend|mends|brake|brakes|braked)\b/i, 'origin, input, fix, throttle', 'a wish'],
  [/\b(anew|once more)\b/i, 'again', 'sign in anew'],
  [/\bby (itself|themselves)\b/i, 'automatically', 'it ends by itself'],
  [/\b(has|have|had|is|are) to be\b/i, 'must', 'it has to be a file'],
  [/\b(break|breaks|broke|broken|breaking) off\b/i, 'abort, close, drop', 'the download broke off'],
  [/\bwords of the (system|network)\b/i, "the system's error message", 'the words of the system'],
  [/\b(in vain|at last|lately)\b/i, 'say the fact', 'not lately'],
  [
    /\b(farm|place|folder|file|user|page|room|thread|process) of (its|their|your) own\b/i,
    'its own farm, a separate folder',
    'a farm of its own',
  ],
  [/\b(whoever|to be had)\b/i, 'anyone who', 'whoever asks'],
]

/** Prose of a page: without code, and without the addresses of its links. */
const proseOf = (page: string) =>
  page
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/^ {4,}.*$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']')

/** Literals of more than one word in a source, without its comments. */
const literalsOf = (source: string) =>
  [
    ...source
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .replaceAll(/^\s*\/\/.*$/gm, '')
      .matchAll(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g),
  ]
    .map(([literal]) => literal)
    .filter((literal) => literal.includes(' '))
    .join('\n')

const commentsOf = (source: string) =>
  [...source.matchAll(/\/\*([\s\S]*?)\*\/|(?<=^|\s)\/\/(.*)$/gm)]
    .map(([, block = '', line = '']) =>
      `${block.replaceAll(/^ *\* ?/gm, '')}${line}`.replaceAll(/`[^`]*`/g, 'code'),
    )
    .join('\n')

const sentencesOf = (source: string) => `${commentsOf(source)}\n${literalsOf(source)}`

/** Comments of a test file, and the names of its tests. */
const namesOf = (source: string) =>
  [
    commentsOf(source),
    ...[...source.matchAll(/(?:\b(?:test|describe)(?:\.\w+)*|\))\(\s*('|"|`)((?:\\.|(?!\1).)*)\1,/g)].map(
      ([, , name = '']) => name.replaceAll(/`[^`]*`/g, 'code'),
    ),
  ].join('\n')

/** The parts of the changelog for the next and the newest version. */
const newest = (changelog: string) => changelog.split('\n## ').slice(1, 3).join('\n')

const read: readonly (readonly [files: string, (text: string) => string])[] = [
  ['{README,CONTRIBUTING,SECURITY,client/README}.md', proseOf],
  ['docs/*.md', proseOf],
  ['CHANGELOG.md', (text) => proseOf(newest(text))],
  ['{bridges,cli,client,handlers,lib,own-edge,runtime,services,ticket}/**/*.{ts,cjs}', sentencesOf],
  ['{bench,dashboard,deploy}/**/*.{ts,tsx,cjs}', sentencesOf],
  ['test/**/*.ts', namesOf],
]

/** A file, words that it keeps, and why. */
const exceptions: readonly (readonly [file: string, words: string, why: string])[] = [
  ['handlers/chat/client-session.ts', 'The game server is away', 'a close reason of the protocol'],
  ['handlers/chat/reference.ts', 'The game server is away', 'a close reason of the protocol'],
  ['services/records/migrations.ts', 'door TEXT NOT NULL', 'a column of a released schema'],
  ['services/records/migrations.ts', 'RENAME COLUMN door', 'the same column'],
  ['services/records/migrations.ts', 'key.braked', 'an event in stored rows'],
  ['dashboard/views/cabins/texts.ts', 'the door of the farmhouse', 'a door of a house'],
  ['dashboard/views/settings/texts.ts', 'doors lead to the farmhouse', 'doors of houses'],
]

const isExcepted = (file: string, sentence: string) =>
  exceptions.some(([where, words]) => where === file && sentence.includes(words))

/** Each place that has a term, with what stands around it and what to write instead. */
const found = (file: string, text: string): readonly string[] => {
  const flat = text.replaceAll(/\s+/g, ' ')
  return terms.flatMap(([term, instead]) =>
    [...flat.matchAll(new RegExp(term, 'gi'))].flatMap(({ index, 0: words }) => {
      const around = flat.slice(Math.max(0, index - 40), index + words.length + 40)
      return isExcepted(file, around) ? [] : [`${file}: …${around}… (write: ${instead})`]
    }),
  )
}

test.each(terms)('%s is found in a sentence that has it', (_term, _instead, sentence) => {
  expect(found('example', sentence)).toHaveLength(1)
})

test.each(read)('no sentence of %s has a term of the dialect', (pattern, textOf) => {
  const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] })
  expect(files.length).toBeGreaterThan(0)
  expect(files.flatMap((file) => found(file, textOf(readText(file))))).toEqual([])
})

test('the help of no command has a term of the dialect', async () => {
  const names = await everyCommand()
  const helps = await runInTurn([['--help'], ...names.map((name) => [...name, '--help'])])
  expect(helps.length).toBeGreaterThan(40)
  expect(helps.flatMap(({ stdout }) => found('--help', stdout))).toEqual([])
})

test('every exception is still needed', () => {
  for (const [file, words] of exceptions) expect(readText(file)).toContain(words)
})
