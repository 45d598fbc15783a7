/** A new farm where the settings file can be read and not replaced: real mounts. */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { ended } from '../../contract/client/host-calls.ts'
import { cloverSave, hostedGame, key } from '../../game-server/hosted-game.ts'
import { pointedTo } from '../../game-server/saved-game.ts'
import { canRun } from '../../left-out.ts'
import { programs } from '../../programs.ts'
import { eventually } from '../../wait.ts'
import { listening } from './farmgate-process.ts'
import { mounting, mountProblem, readOnly } from './mounting.ts'

const fern = { farmName: 'Fern', warnMinutes: [], backup: false }

/** A game that plays Clover, and a farmgate that sees a mount at the settings. @param lines of a shell */
async function setUp(lines: string, at: (settingsPath: string) => string) {
  const hosted = await hostedGame()
  const { env, settingsPath, savesDir, game, asked } = hosted
  const settings = readFileSync(settingsPath, 'utf8')
  const { url } = await listening(mounting(lines, at(settingsPath), process.execPath, programs.serve), env)
  const farm = connect({ url, key })
  await eventually(async () => expect((await farm.status()).farmName).toBe('Clover'))
  /** Pointer, game, settings and expected farm are those of the old farm. */
  const isAsBefore = async () => {
    expect([pointedTo(savesDir), game.played()?.folder]).toEqual([cloverSave, cloverSave])
    expect(readFileSync(settingsPath, 'utf8')).toBe(settings)
    await eventually(async () => expect(await farm.status()).toMatchObject({ farmName: 'Clover' }))
    expect(await farm.saves()).not.toHaveProperty('unexpected')
  }
  return { farm, asked, isAsBefore }
}

test.runIf(canRun('settings that are mounted read-only', mountProblem))(
  'a new farm with settings that are mounted read-only is 501 with the fix, and nothing is changed',
  async () => {
    const { farm, asked, isAsBefore } = await setUp(readOnly, dirname)
    await expect(farm.startNewFarm(fern)).rejects.toMatchObject({
      status: 501,
      code: 'unsupported',
      message: expect.stringMatching(/SETTINGS_PATH.*mount its folder without :ro/),
    })
    expect(asked).toEqual([])
    await isAsBefore()
  },
)

/** A disk of two pages: the settings are on one, and the other one is used too. */
const full =
  'text=$(cat "$0"/server-settings.json) && mount -t tmpfs -o size=8k tmpfs "$0" && printf %s "$text" > "$0"/server-settings.json && head -c 4096 /dev/zero > "$0"/used'

test.runIf(canRun('settings that are mounted alone or without room', mountProblem)).each([
  [
    'that is mounted alone',
    'mount --bind "$0" "$0"',
    (path: string) => path,
    'is mounted alone and cannot be replaced: mount its folder',
  ],
  ['on a full disk', full, dirname, 'cannot be written: the disk is full'],
] as const)(
  'a new farm with a settings file %s is undone, and says why',
  async (_what, lines, at, sentence) => {
    const { farm, asked, isAsBefore } = await setUp(lines, at)
    const { operation } = await farm.startNewFarm(fern)
    expect(await ended(farm, operation)).toMatchObject({
      state: 'failed',
      undone: true,
      error: `The settings file ${sentence}; nothing was changed`,
    })
    expect(asked).toEqual(['stop', 'start'])
    await isAsBefore()
  },
)
