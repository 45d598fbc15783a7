/** The parts of the docs that are made from the API, each between two comments of its name (`npm run generate`). */
import type { Endpoint } from '../handlers/endpoint.ts'
import { endpoints } from '../handlers/endpoints/all-endpoints.ts'
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

/** The generated parts, by page and name. */
export const parts = {
  'docs/api.md': { errors, 'calls without a key': publicCalls },
  'docs/keys-and-records.md': { scopes: scopeCalls },
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
