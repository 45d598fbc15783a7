/** Which folder can import which (docs/architecture.md, "Folders"); type imports count as well. */
import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readText } from '../compose.ts'
import { type Import, importsOf, isLocal } from './imported.ts'

const outside = (folder: string, allowed: (to: Import) => boolean) =>
  importsOf(folder)
    .filter((one) => !allowed(one))
    .map(({ file, to }) => `${file} imports ${to}`)

/** Files of handlers/ that import nothing: what every program says in the same way. */
const facts = ['handlers/game-moment.ts', 'handlers/key-holder.ts', 'handlers/problem-table.ts']

describe('imports between folders', () => {
  test('handlers/ imports valibot, JSON, foreign data and token bucket of lib/, and itself', () => {
    expect(importsOf('handlers').length).toBeGreaterThan(20)
    expect(
      outside(
        'handlers',
        ({ to }) =>
          ['valibot', 'lib/json.ts', 'lib/foreign/read.ts', 'lib/token-bucket.ts'].includes(to) ||
          to.startsWith('handlers/'),
      ),
    ).toEqual([])
  })

  test('lib/ imports valibot, birpc, jsonc-parser, prom-client, the HTTP adapter, modules of Node and itself; keys and their ring know the holder of a key', () => {
    expect(importsOf('lib').length).toBeGreaterThan(1)
    const holder = ({ file, to }: Import) =>
      ['lib/keys.ts', 'lib/key-ring.ts'].includes(file) && to === 'handlers/key-holder.ts'
    expect(
      outside(
        'lib',
        (one) =>
          ['valibot', 'birpc', 'jsonc-parser', '@hono/node-server', 'package.json'].includes(one.to) ||
          /^(node:|lib\/|prom-client)/.test(one.to) ||
          holder(one),
      ),
    ).toEqual([])
  })

  test.each(['bridges', 'services'])('%s/ imports handlers/, lib/, itself and packages', (folder) => {
    expect(importsOf(folder).length).toBeGreaterThan(20)
    expect(
      outside(
        folder,
        (one) => !isLocal(one) || /^(handlers|lib)\//.test(one.to) || one.to.startsWith(`${folder}/`),
      ),
    ).toEqual([])
  })

  test('runtime/ imports handlers/, bridges/, services/, lib/, itself and packages; its bundle for help has the findings of client/', () => {
    expect(importsOf('runtime').length).toBeGreaterThan(20)
    const findings = ({ file, to }: Import) => file === 'runtime/node/support.ts' && to.startsWith('client/')
    expect(
      outside(
        'runtime',
        (one) => !isLocal(one) || /^(handlers|bridges|services|runtime|lib)\//.test(one.to) || findings(one),
      ),
    ).toEqual([])
  })

  test('ticket/ imports lib/, itself and packages', () => {
    expect(importsOf('ticket').length).toBeGreaterThan(20)
    expect(outside('ticket', (one) => !isLocal(one) || /^(ticket|lib)\//.test(one.to))).toEqual([])
  })

  test('cli/ imports client/, lib/, itself, packages, and facts of the API; only demo, discord, init, serve, doctor and import load parts of runtime/, services/ and bridges/', () => {
    const loaded = importsOf('cli').filter(
      ({ file, to }) => !file.startsWith('cli/demo/') && /^(runtime|services|bridges)\//.test(to),
    )
    expect(loaded.map(({ file, to }) => `${file} imports ${to}`).sort()).toEqual([
      'cli/commands/export-farm.ts imports services/saves/farm-file.ts',
      'cli/commands/import-save.ts imports services/saves/farm-file.ts',
      'cli/commands/import-save.ts imports services/saves/import-save.ts',
      'cli/commands/import-save.ts imports services/saves/load-save.ts',
      'cli/commands/register-commands.ts imports services/discord/definition.ts',
      'cli/commands/serve.ts imports runtime/node/main.ts',
      'cli/doctor/environment.ts imports runtime/node/check-config.ts',
      'cli/doctor/environment.ts imports runtime/node/config.ts',
      'cli/doctor/environment.ts imports runtime/node/main.ts',
      'cli/doctor/folders.ts imports runtime/node/check-config.ts',
      'cli/init/questions.ts imports runtime/node/variables.ts',
      'cli/npm-package.ts imports runtime/documents/pages.ts',
    ])
    expect(
      outside(
        'cli',
        (one) =>
          !isLocal(one) ||
          ['package.json', ...facts].includes(one.to) ||
          /^(client|cli|lib|runtime|services)\//.test(one.to) ||
          one.file.startsWith('cli/demo/'),
      ),
    ).toEqual([])
  })

  test('dashboard/ imports client/, itself, packages, and facts of the API', () => {
    expect(importsOf('dashboard').length).toBeGreaterThan(20)
    expect(
      outside(
        'dashboard',
        (one) => !isLocal(one) || /^(client|dashboard)\//.test(one.to) || facts.includes(one.to),
      ),
    ).toEqual([])
  })

  test('client/ imports only itself', () => {
    expect(importsOf('client').length).toBeGreaterThan(10)
    expect(outside('client', ({ to }) => to.startsWith('client/'))).toEqual([])
  })

  test('own-edge/ imports runtime/, bridges/, handlers/, lib/, itself and packages', () => {
    expect(importsOf('own-edge').length).toBeGreaterThan(20)
    expect(
      outside(
        'own-edge',
        (one) => !isLocal(one) || /^(own-edge|runtime|bridges|handlers|lib)\//.test(one.to),
      ),
    ).toEqual([])
  })
})

test('no program waits for the file system to report a change, which a network file system never does', () => {
  const files = globSync('{lib,handlers,services,bridges,runtime,own-edge,ticket,cli}/**/*.ts')
  expect(files.length).toBeGreaterThan(100)
  const watches = /\bfs\.watch|\bwatch(File)?\b[^}]*\} from 'node:fs/
  expect(files.filter((file) => watches.test(readText(file)))).toEqual([])
})
