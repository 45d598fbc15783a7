/** A volume of saves that farmgate cannot read, because the game runs as root (docs/backups.md). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cacheFolder } from '../../deploy/images/build.ts'
import { codeBlock } from '../project/code-blocks.ts'
import { buildTime, builtImages, describeImages } from './built.ts'
import { type Machine, startMachine } from './machine.ts'
import { base, openStack } from './stack.ts'

/** The command of a `docker compose run`, as printed. */
const printed = (block: string) =>
  (/^docker compose run --rm .*?\b(?:api|prepare) (.+)$/.exec(block)?.[1] ?? '').split(' ')
const check = printed(codeBlock('docs/backups.md', 'docker compose run --rm --no-deps api'))
const chown = printed(codeBlock('docs/backups.md', 'docker compose run --rm prepare'))

describeImages('saves that belong to other users', () => {
  let machine: Machine
  let images: { readonly api: string; readonly ticket: string }
  beforeAll(async () => {
    images = await builtImages()
    machine = await startMachine(cacheFolder)
  }, buildTime)
  afterAll(() => machine?.close())

  test('are refused by the documented check of the configuration, and the documented chown fixes that', async () => {
    const keys = { API_KEY: 'a-key-of-the-control-api', GAME_API_KEY: 'a-key-of-the-game' }
    const stack = await openStack(machine, images, { ...keys, VNC_PASSWORD: 'screen', SAVES_ACCESS: 'rw' })
    const inSaves = (script: string) =>
      machine.run(
        'podman',
        'run',
        '--rm',
        `--cgroup-parent=/${machine.cgroups}`,
        '--volume=farmgate_saves:/saves',
        base,
        'sh',
        '-ec',
        script,
      )
    const once = (name: 'api' | 'prepare', command: readonly string[]) =>
      machine.attempt('podman', 'run', '--rm', ...stack.arguments(name, { command }))
    await machine.run('podman', 'run', '--rm', ...stack.arguments('prepare'))
    // One save was copied there by another user than that of the game.
    await inSaves(
      'mkdir -p /saves/Saves/Clover_1 && touch /saves/Saves/Clover_1/Clover_1 && chmod -R go= /saves && chown -R 4321 /saves/Saves/Clover_1',
    )
    const refused = await once('api', check)
    expect(refused.code).toBe(78)
    expect(refused.stderr).toMatch(/^SAVES_DIR: cannot be read: give the user of this process the right/m)
    expect(await once('prepare', chown)).toMatchObject({ code: 0 })
    expect(await once('api', check)).toMatchObject({ code: 0, stdout: 'the configuration is in order' })
    expect(await inSaves('stat --format=%u /saves /saves/Saves /saves/Saves/Clover_1/Clover_1')).toBe(
      '1000\n1000\n1000',
    )
  })
})
