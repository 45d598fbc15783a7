/** The parts of the docs that are made from the sources, each between two comments of its name (`npm run generate`). */
import { en, type Words } from '../dashboard/texts/en.ts'
import { zh } from '../dashboard/texts/zh.ts'
import { chinese } from '../dashboard/views/doctor/join-chinese.ts'
import { causeCodes, causeSentence } from '../handlers/cause.ts'
import type { Endpoint } from '../handlers/endpoint.ts'
import { endpoints } from '../handlers/endpoints/all-endpoints.ts'
import { joinProblems } from '../handlers/join.ts'
import { scopeSentences, scopes } from '../handlers/key-holder.ts'
import { problemTable } from '../handlers/problem-table.ts'

/** Each error with its cause and fix. */
const errors = (): string =>
  [
    '| Status | `code` | Cause | Fix |',
    '|---|---|---|---|',
    ...Object.entries(problemTable).map(
      ([code, { status, cause, fix }]) => `| ${status} | \`${code}\` | ${cause} | ${fix} |`,
    ),
  ].join('\n')

const callsOf = (are: (endpoint: Endpoint) => boolean): string =>
  endpoints
    .filter(are)
    .map(({ method, path }) => `\`${method} ${path}\``)
    .join(', ')

/** Each scope, and the calls that need it. */
const scopeCalls = (): string =>
  [
    ...scopes.map((one) => `- \`${one}\`: ${scopeSentences[one]} ${callsOf(({ scope }) => scope === one)}.`),
    `- Any key: ${callsOf(({ access, scope }) => access === 'key' && scope === undefined)}.`,
  ].join('\n')

const publicCalls = (): string => `${callsOf(({ access }) => access === 'public')}.`

/** What is wrong and what to do, in the words of the dashboard, `GET /join` and the command line. */
const sentences = ({ weather, troubles }: Words, translated: (sentence: string) => string): string => {
  const { empty: _form, ...failures } = troubles
  const own = [weather.lost, weather.away, weather.frozen, weather.trouble, ...Object.values(failures)]
  const problems = [
    ...causeCodes.map((code) => Object.values(causeSentence(code))),
    ...Object.values(joinProblems),
  ]
  const rows = [...own, ...problems.map((pair) => pair.map(translated))]
  return rows.map(([what, next]) => `- **${what}** ${next}`).join('\n')
}

/** @param sentence `…` is a value, which is `#` in the dictionary */
const inChinese = (sentence: string): string => {
  const known: Readonly<Record<string, string>> = chinese
  return (known[sentence.replaceAll(/“…”|…/g, '#')] ?? sentence).replaceAll('#', '…')
}

/** The generated parts, by page and name. */
export const parts = {
  'docs/api.md': { errors, 'calls without a key': publicCalls },
  'docs/keys-and-records.md': { scopes: scopeCalls },
  'docs/troubleshooting.md': { sentences: () => sentences(en, (sentence) => sentence) },
  'docs/zh/troubleshooting.md': { sentences: () => sentences(zh, inChinese) },
} as const

/** The page with its parts made anew. @throws {Error} a part has no comments, or in another order */
export function filled(page: string, own: Readonly<Record<string, () => string>>): string {
  return Object.entries(own).reduce((text, [name, source]) => {
    const [first, last] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`]
    const [from, to] = [text.indexOf(first), text.indexOf(last)]
    if (from < 0 || to < from) throw new Error(`No comments of ${name}`)
    return `${text.slice(0, from)}${first}\n${source()}\n\n${text.slice(to)}`
  }, page)
}
