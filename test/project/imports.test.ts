/** Which folder may import which (docs/architecture.md, "Folders"); type imports count as well. */
import { describe, expect, test } from 'vitest'
import { type Import, importsOf, isLocal } from './imported.ts'

const outside = (folder: string, allowed: (to: Import) => boolean) =>
  importsOf(folder)
    .filter((one) => !allowed(one))
    .map(({ file, to }) => `${file} imports ${to}`)

describe('imports between folders', () => {
  test('handlers/ imports valibot and itself', () => {
    expect(importsOf('handlers').length).toBeGreaterThan(20)
    expect(outside('handlers', ({ to }) => to === 'valibot' || to.startsWith('handlers/'))).toEqual([])
  })

  test('process/ imports valibot, birpc, modules of Node and itself', () => {
    expect(importsOf('process').length).toBeGreaterThan(1)
    expect(
      outside(
        'process',
        ({ to }) => ['valibot', 'birpc'].includes(to) || to.startsWith('node:') || to.startsWith('process/'),
      ),
    ).toEqual([])
  })

  test('runtime/ imports handlers/, process/, itself and packages', () => {
    expect(importsOf('runtime').length).toBeGreaterThan(20)
    expect(
      outside('runtime', (one) => !isLocal(one) || /^(handlers|runtime|process)\//.test(one.to)),
    ).toEqual([])
  })

  test('ticket/ imports process/, itself and packages', () => {
    expect(importsOf('ticket').length).toBeGreaterThan(20)
    expect(outside('ticket', (one) => !isLocal(one) || /^(ticket|process)\//.test(one.to))).toEqual([])
  })

  test('command/ imports client/, process/, itself and packages; only demo, discord, init, serve, doctor and import load parts of runtime/', () => {
    const runtime = importsOf('command').filter(({ to }) => to.startsWith('runtime/'))
    expect(runtime.map(({ file, to }) => `${file} imports ${to}`).sort()).toEqual([
      'command/commands/demo.ts imports runtime/node/demo-farm.ts',
      'command/commands/import-save.ts imports runtime/backups/import-save.ts',
      'command/commands/register-commands.ts imports runtime/discord/definition.ts',
      'command/commands/serve.ts imports runtime/node/main.ts',
      'command/doctor/environment.ts imports runtime/node/check-config.ts',
      'command/doctor/environment.ts imports runtime/node/config.ts',
      'command/doctor/environment.ts imports runtime/node/main.ts',
      'command/doctor/folders.ts imports runtime/node/check-config.ts',
      'command/init/questions.ts imports runtime/node/variables.ts',
      'command/npm-package.ts imports runtime/documents/pages.ts',
    ])
    expect(
      outside(
        'command',
        (one) =>
          !isLocal(one) || one.to === 'package.json' || /^(client|command|process|runtime)\//.test(one.to),
      ),
    ).toEqual([])
  })

  test('dashboard/ imports client/, itself and packages', () => {
    expect(importsOf('dashboard').length).toBeGreaterThan(20)
    expect(outside('dashboard', (one) => !isLocal(one) || /^(client|dashboard)\//.test(one.to))).toEqual([])
  })

  test('client/ imports only itself', () => {
    expect(importsOf('client').length).toBeGreaterThan(10)
    expect(outside('client', ({ to }) => to.startsWith('client/'))).toEqual([])
  })
})
