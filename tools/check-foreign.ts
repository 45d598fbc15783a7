/**
 * `npm run check:foreign [folder]`: names each file outside `lib/foreign/` that parses text, or reads the whole of a
 * body. What other programs, files and uploads hold is read there only, with limits.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const rooms = [
  'handlers',
  'runtime',
  'bridges',
  'services',
  'ticket',
  'lib',
  'own-edge',
  'cli',
  'client',
  'dashboard',
]

/** The place itself, and files whose text is farmgate's own, each with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'lib/json.ts': 'the parser with limits that lib/foreign/ uses',
  'bridges/settings-file/settings-text.ts':
    'edits a text that lib/foreign/commented.ts has measured and parsed',
  'cli/commands/api.ts': 'passes on what the farm of the person at the terminal answers',
  'cli/commands/settings.ts': 'a value that the person at the terminal types',
  'cli/terminal/secret.ts': 'what the person at the terminal pipes in',
  'client/download.ts': 'runs in the program of its user, without packages, and reads the farm that it chose',
  'client/json.ts': 'as client/download.ts',
  'client/live-problem.ts': 'as client/download.ts',
  'client/request.ts': 'as client/download.ts',
  'dashboard/help/search.ts': "the index of farmgate's own build",
  'dashboard/session/setup-calls.ts': 'runs in the browser, and reads the farm that served it',
  'handlers/endpoints/metrics.ts': "the text of farmgate's own metrics",
  'lib/raw-response.ts': 'a response that farmgate has made',
  'own-edge/bundle.ts': "the settings of farmgate's own build",
  'runtime/documents/json-schema.ts': 'records that farmgate has just written',
  'runtime/edge/documents.ts': "farmgate's own pages",
  'runtime/launch.cjs': "the list of farmgate's own build",
  'services/records/readable-rows.ts': "rows of farmgate's own database",
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\bJSON\.parse\b/, 'JSON.parse'],
  [/\b(?:parse|read)Json\b/, 'parseJson or readJson'],
  [/from 'jsonc-parser'/, 'jsonc-parser'],
  [/\.\s*(?:json|text|arrayBuffer|bytes|blob|formData)\(\s*\)/, 'the whole of a body'],
  [/'(?:node:)?stream\/consumers'/, 'stream/consumers'],
]

/** Without comments, in which an example may parse. */
const codeOf = (path: string) => readFileSync(path, 'utf8').replace(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm, '')

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const files = globSync(`{${rooms.join(',')}}/**/*.{ts,tsx,cjs,mjs}`, {
  cwd: root,
  exclude: ['**/node_modules/**'],
})
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => !file.startsWith('lib/foreign/'))
const found = new Map(
  files.map((file) => {
    const code = codeOf(join(root, file))
    return [file, patterns.flatMap(([pattern, name]) => (pattern.test(code) ? [name] : []))] as const
  }),
)
for (const [file, names] of found)
  if (names.length > 0 && !Object.hasOwn(allowed, file))
    fail(`${file}: ${names.join(', ')}. Use lib/foreign/.`)
for (const file of Object.keys(allowed))
  if (found.get(file)?.length === 0)
    fail(`${file} parses nothing. Remove it from the list in tools/check-foreign.ts.`)

function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}
