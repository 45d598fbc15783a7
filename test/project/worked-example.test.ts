/** The worked example of docs/architecture.md, "Adding an ability", is applied to a copy of the repository. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { sharedFolder } from '../new-folder.ts'
import { codeBlock } from './code-blocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = 'docs/architecture.md'
const copy = sharedFolder()

interface Part {
  readonly file: string
  /** The line before which the text goes. */
  readonly before: string
  readonly text: string
}

const inPort: Part = {
  file: 'handlers/game-bridge.ts',
  before: "  /** @returns the player's name @throws",
  text: codeBlock(page, '/** The day ends now'),
}
const parts: readonly Part[] = [
  {
    file: 'handlers/game-abilities.ts',
    before: '  grantAdmin: write,',
    text: codeBlock(page, 'endDay: write,'),
  },
  { file: 'bridges/simulated/writes.ts', before: '    setTime: (', text: codeBlock(page, 'endDay: () =>') },
  {
    file: 'bridges/upstream/game-writes.ts',
    before: '    async setTime(',
    text: codeBlock(page, 'async endDay()'),
  },
  {
    file: 'test/bridges/contract/abilities.ts',
    before: '  setTime: [',
    text: codeBlock(page, 'endDay: [],'),
  },
  {
    file: 'test/contract/client/game-calls.ts',
    before: '  async setClockSpeed(',
    text: codeBlock(page, 'endDay: (farm)'),
  },
]
const endpointFile = 'handlers/endpoints/end-day.ts'
const list: readonly Part[] = [
  {
    file: 'handlers/endpoints/shared-endpoints.ts',
    before: 'import { farmhands }',
    text: "import { endDay } from './end-day.ts'",
  },
  { file: 'handlers/endpoints/shared-endpoints.ts', before: '  setTime,', text: '  endDay,' },
]

const edit = (file: string, change: (text: string) => string) =>
  writeFileSync(join(copy, file), change(readFileSync(join(copy, file), 'utf8')))

function add({ file, before, text }: Part): void {
  edit(file, (whole) => {
    expect(whole.split(before)).toHaveLength(2)
    return whole.replace(before, () => `${text}\n${before}`)
  })
}
const remove = ({ file, text }: Part) => edit(file, (whole) => whole.replace(`${text}\n`, () => ''))

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
// Several checkers would compute some types once each, on processors that other tests use.
const compile = (config: string) =>
  node('node_modules/typescript/bin/tsc', '--noEmit', '--singleThreaded', '-p', config).stdout

beforeAll(() => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  for (const file of files)
    if (file === '.gitignore' || /\.(tsx?|cjs|json|css|html|md)$/.test(file))
      cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const part of [inPort, ...parts, ...list]) add(part)
  writeFileSync(
    join(copy, endpointFile),
    codeBlock(page, "import * as v from 'valibot'\nimport { endpoint }"),
  )
  const generated = node('tools/generate-client.ts')
  expect([generated.stderr, generated.status]).toEqual(['', 0])
})

test('the worked example compiles', () => {
  expect(compile('tsconfig.json')).toBe('')
})

test('without its other parts the compiler reports each missing place', () => {
  const places = [
    'bridges/simulated/simulated-farm.ts',
    'bridges/upstream/bridge.ts',
    'handlers/game-abilities.ts',
    'test/bridges/contract/abilities.ts',
    'test/contract/client/every-call.ts',
  ]
  // Only these and what they import: with all parts the whole has compiled.
  writeFileSync(
    join(copy, 'places.json'),
    JSON.stringify({ extends: './tsconfig.json', include: [], files: places }),
  )
  for (const part of parts) remove(part)
  const reported = new Set(
    compile('places.json')
      .split('\n')
      .filter((line) => line.includes('endDay'))
      .map((line) => line.replace(/[(:].*/, '')),
  )
  expect([...reported].sort()).toEqual(places)
})

test('the client has the call of the worked example', () => {
  expect(readFileSync(join(copy, 'client/calls.ts'), 'utf8')).toContain('endDay: CallWithout<of.Done>')
  expect(readFileSync(join(copy, 'client/routes.ts'), 'utf8')).toContain("'POST endDay /day/end'")
})
