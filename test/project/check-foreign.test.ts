/** The part of `npm run check` that finds what parses foreign text outside of its place. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each([
  ['services/mods/planted.ts', 'export const read = (text: string) => JSON.parse(text)'],
  ['bridges/planted.ts', 'const schema = v.pipe(v.string(), v.parseJson(), v.array(v.string()))'],
  ['ticket/depot/planted.ts', "import { parse } from 'jsonc-parser'"],
  ['runtime/edge/planted.ts', 'const answer = await (await fetch(url)).json()'],
  ['services/planted.ts', 'const text = await response.text()'],
  ['services/host/planted.ts', 'const value = fetch(url).then((r) => r.json())'],
  ['lib/planted.ts', 'const values = texts.map(JSON.parse)'],
  ['handlers/planted.ts', 'const schema = v.pipe(v.string(), v.rawTransform(parseJson))'],
  ['own-edge/planted.ts', 'const body = await answer\n  .json()'],
  ['cli/planted.ts', "import { json } from 'node:stream/consumers'"],
])('%s, which reads foreign text itself, is named', (planted, code) => {
  const folder = newFolder()
  for (const [file, content] of [
    ['lib/foreign/place.ts', code],
    ['services/good.ts', `// ${code.replace('\n', '\n// ')}\nexport const found = readForeign(schema, text)`],
    [planted, code],
  ] as const) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
  const args = ['runtime/launch.cjs', 'tools/check-foreign.ts', folder]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect([status, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(`${planted}: `)]])
})
