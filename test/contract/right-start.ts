/** What farmgate lets the game load when it starts it (docs/backups.md, "Saves"), at its own port and at the edge. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { cloverSave, hostedGame, key } from '../game-server/hosted-game.ts'
import { pointedTo, pointerPath, pointTo } from '../game-server/saved-game.ts'
import { openedFarm } from '../runtime/node/open-farm.ts'
import { eventually } from '../wait.ts'
import { ended } from './client/host-calls.ts'

/** Where the calls of a suite go. */
export interface Way {
  /** Variables of the farm. */
  readonly env: Readonly<Record<string, string>>
  /** Of the edge; the farm's own port unless given. */
  readonly url?: string
  readonly key?: string
}

/** A game that plays Clover, and a farmgate with a client that uses a way to it. */
async function rightFarm(way: Way, more: Readonly<Record<string, string>> = {}) {
  const hosted = await hostedGame()
  const farmgate = await openedFarm({ ...hosted.env, ...way.env, ...more })
  const farm = connect({ url: way.url ?? farmgate.url, key: way.key ?? key })
  await eventually(async () =>
    expect(await farm.status()).toMatchObject({ isOnline: true, farmName: 'Clover' }),
  )
  const restart = async (request: object = {}) =>
    ended(farm, (await farm.restartGame({ warnMinutes: [], backup: false, ...request })).operation)
  const steps = ({ steps: all }: { readonly steps: readonly { readonly state: string }[] }) =>
    all.map(({ state }) => state)
  return { ...hosted, farmgate, farm, restart, steps }
}

const next = async ({ farm }: Awaited<ReturnType<typeof rightFarm>>) => (await farm.saves()).next

const load = { name: 'Oak_7', warnMinutes: [], backup: false }
const oak = { farmName: 'Oak', farmId: 7 }
const fern = { farmName: 'Fern', startingCabins: 3, warnMinutes: [], backup: false }

/** The calls, which all ways have. @param way makes a new one for each test */
export function rightStartCalls(title: string, way: () => Promise<Way>): void {
  describe(title, () => {
    const setUp = async (more: Readonly<Record<string, string>> = {}) => rightFarm(await way(), more)

    test('a pointer that names no save is repaired in the step preparing of a restart, with an audit row', async () => {
      const own = await setUp()
      const { farm, savesDir, restart, steps, game } = own
      pointTo(savesDir, 'EM_123456789')
      expect(await next(own)).toEqual({ state: 'repairable', name: 'EM_123456789', save: cloverSave })
      const operation = await restart()
      expect(steps(operation)).toEqual(['stopping', 'preparing', 'starting', 'checking', 'succeeded'])
      expect([pointedTo(savesDir), game.played()?.folder]).toEqual([cloverSave, cloverSave])
      const parameters = { from: 'EM_123456789', to: cloverSave }
      const rows = async () => (await farm.audit({ action: 'repairPointer' })).entries
      await eventually(async () =>
        expect(await rows()).toMatchObject([{ outcome: 'done', key: { id: 'api_key' }, parameters }]),
      )
      expect(steps(await restart())).toEqual(['stopping', 'starting', 'checking', 'succeeded'])
    })

    test('without a console a save is loaded by an operation that writes the pointer while the game is stopped', async () => {
      const { farm, save, savesDir, game, steps, instead } = await setUp()
      save(oak)
      let pointed: unknown
      instead.stop = async () => {
        pointed = pointedTo(savesDir)
        await game.stop()
      }
      const { operation } = await farm.chooseSave({ ...load, reason: 'Oak is next' })
      if (operation === undefined) expect.fail('no operation')
      expect(operation).toMatchObject({ action: 'load_save', reason: 'Oak is next' })
      const end = await ended(farm, operation)
      expect(steps(end)).toEqual(['stopping', 'preparing', 'starting', 'checking', 'succeeded'])
      expect([pointed, pointedTo(savesDir), game.played()?.folder]).toEqual([cloverSave, 'Oak_7', 'Oak_7'])
      expect(await farm.saves()).not.toHaveProperty('unexpected')
      const { entries } = await farm.audit({ action: 'chooseSave' })
      expect(entries).toMatchObject([{ outcome: 'done', status: 202 }])
    })

    test('a choice takes when, warnMinutes, backup and reason; another member is 400', async () => {
      const { farm, save, asked } = await setUp()
      save(oak)
      const forced: object = { ...load, force: true }
      await expect(farm.chooseSave({ ...load, ...forced })).rejects.toMatchObject({
        code: 'invalid_parameter',
        parameter: 'force',
      })
      expect(asked).toEqual([])
    })

    test('a choice during another operation is 409 operation_running with that operation', async () => {
      const { farm, save } = await setUp()
      save(oak)
      const { operation } = await farm.restartGame({ when: 'night' })
      await expect(farm.chooseSave(load)).rejects.toMatchObject({
        code: 'operation_running',
        body: { operation: { id: operation.id, action: 'restart' } },
      })
    })

    test('a new farm is made by an operation that writes the settings and removes the pointer while the game is stopped; the old one stays in the list and can be chosen again', async () => {
      const own = await setUp()
      const { farm, savesDir, settingsPath, game, steps, instead } = own
      let before: unknown
      instead.stop = async () => {
        before = [pointedTo(savesDir), readFileSync(settingsPath, 'utf8')]
        await game.stop()
      }
      let prepared: unknown
      instead.start = async () => {
        prepared = [pointedTo(savesDir), JSON.parse(readFileSync(settingsPath, 'utf8'))]
        await game.start()
      }
      const { operation } = await farm.startNewFarm({ ...fern, reason: 'A new year' })
      expect(operation).toMatchObject({ action: 'new_farm', reason: 'A new year' })
      const end = await ended(farm, operation)
      expect(steps(end)).toEqual(['stopping', 'preparing', 'starting', 'checking', 'succeeded'])
      expect(before).toEqual([cloverSave, '{"Game":{"FarmName":"Junimo"},"Server":{}}'])
      expect(prepared).toEqual([undefined, { Game: { FarmName: 'Fern', StartingCabins: 3 }, Server: {} }])
      expect(game.played()?.save).toMatchObject({ farmName: 'Fern', date: { season: 'spring', day: 1 } })
      expect(game.world.newGames).toEqual([])
      expect(await farm.saves()).not.toHaveProperty('unexpected')
      const { entries } = await farm.audit({ action: 'startNewFarm' })
      expect(entries).toMatchObject([{ outcome: 'done', status: 202, parameters: { farmName: 'Fern' } }])

      game.night()
      const made = game.played()?.folder ?? ''
      await eventually(async () => expect(await next(own)).toEqual({ state: 'ok', name: made, save: made }))
      const names = async () => (await farm.saves()).saves.map(({ name }) => name)
      await eventually(async () => expect(await names()).toEqual(expect.arrayContaining([made, cloverSave])))
      const { operation: back } = await farm.chooseSave({ ...load, name: cloverSave })
      if (back === undefined) expect.fail('no operation')
      expect(await ended(farm, back)).toMatchObject({ state: 'succeeded' })
      expect(game.played()?.folder).toBe(cloverSave)
    })

    test('without a host, write access and a settings file a new farm is 501, naming all that is missing', async () => {
      const { farm, savesDir } = await setUp({
        GAME_HOST: '',
        SETTINGS_PATH: '/nowhere/server-settings.json',
      })
      rmSync(dirname(pointerPath(savesDir)), { recursive: true })
      await expect(farm.startNewFarm(fern)).rejects.toMatchObject({
        status: 501,
        code: 'unsupported',
        message: expect.stringMatching(/SAVES_ACCESS=rw.*SETTINGS_PATH.*GAME_HOST/),
      })
    })
  })
}

/** What the farm does, whichever way a call has come. */
export function rightStart(): void {
  describe('a start', () => {
    const setUp = (more: Readonly<Record<string, string>> = {}) => rightFarm({ env: {} }, more)

    test('a start that would create a new farm fails before the game is stopped, and force goes ahead', async () => {
      const own = await setUp()
      const { savesDir, restart, asked, game } = own
      pointTo(savesDir, 'Gone_5')
      const failed = await restart()
      expect(failed).toMatchObject({
        state: 'failed',
        error: expect.stringMatching(/would create a new farm: .*Gone_5.*POST \/saves\/choose/),
      })
      expect([asked, game.played()?.folder]).toEqual([[], cloverSave])
      expect(await restart({ force: true })).toMatchObject({ state: 'succeeded' })
      expect([asked, game.world.farmName]).toEqual([['stop', 'start'], 'Junimo'])
    })

    test('a start of a stopped game is held back too, and so are those of schedules', async () => {
      const own = await setUp()
      const { farm, savesDir, asked } = own
      await ended(farm, (await farm.stopGame({ warnMinutes: [], backup: false })).operation)
      pointTo(savesDir, 'Gone_5')
      const refused = { state: 'failed', error: expect.stringContaining('would create a new farm') }
      expect((await farm.startGame()).operation).toMatchObject(refused)
      const { id } = await farm.createSchedule({
        name: 'start',
        cron: '0 0 1 1 *',
        timeZone: 'UTC',
        enabled: true,
        onlyWhenEmpty: false,
        do: { action: 'start' },
      })
      await farm.runSchedule({ id })
      expect((await farm.hostOperations()).operations).toMatchObject([
        { action: 'start', by: { id: 'api_key' }, ...refused },
        { action: 'start', ...refused },
        { action: 'stop', state: 'succeeded' },
      ])
      expect(asked).toEqual(['stop'])
    })

    test('a pointer that names no save at all holds a farm back that has been seen to play one', async () => {
      const own = await setUp()
      const { savesDir, restart, game, farm } = own
      game.night()
      await eventually(async () => expect((await farm.historyDays()).days).not.toEqual([]))
      pointTo(savesDir, null)
      expect(await next(own)).toEqual({ state: 'none' })
      expect(await restart()).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('names no save'),
      })
    })

    /** A choice whose game reads another pointer, which something else has written. */
    const failed = async ({ farm, savesDir, game, instead }: Awaited<ReturnType<typeof setUp>>) => {
      instead.start = async () => {
        delete instead.start
        pointTo(savesDir, 'Gone_5')
        await game.start()
      }
      const { operation } = await farm.chooseSave(load)
      return ended(farm, operation ?? expect.fail('no operation'))
    }

    test('a save that the game does not load is undone: the old farm plays with the old pointer', async () => {
      const own = await setUp()
      const { farm, save, savesDir, game } = own
      save(oak)
      expect(await failed(own)).toMatchObject({ state: 'failed', undone: true })
      expect([pointedTo(savesDir), game.played()?.folder]).toEqual([cloverSave, cloverSave])
      await eventually(async () => expect(await farm.saves()).not.toHaveProperty('unexpected'))
    })

    test('an undone choice allows no day of the old farm: an earlier one is reported', async () => {
      const own = await setUp()
      const { farm, game, save } = own
      save(oak)
      expect(await failed(own)).toMatchObject({ state: 'failed', undone: true })
      game.night()
      await eventually(async () => expect(await farm.status()).toMatchObject({ day: 6 }))
      // It looks at the played farm.
      await farm.makeBackup()
      expect(await farm.saves()).not.toHaveProperty('unexpected')
      await game.stop()
      save({})
      await game.start()
      const unexpected = { kind: 'earlier_day', expected: { day: 6 }, found: { name: 'Clover', day: 5 } }
      await eventually(async () => expect((await farm.saves()).unexpected).toMatchObject(unexpected))
    })

    test('a choice that fails is not undone where no save from before is known, and the game is not started', async () => {
      const own = await setUp()
      const { saves, save, savesDir, asked } = own
      save(oak)
      rmSync(join(saves, cloverSave), { recursive: true })
      pointTo(savesDir, null)
      const operation = await failed(own)
      expect(operation).toMatchObject({
        state: 'failed',
        error: expect.stringMatching(/another farm .*No save from before is known/),
      })
      expect(operation).not.toHaveProperty('undone')
      expect(asked).toEqual(['stop', 'start', 'stop'])
    })

    test('of two farms of one name and day the chosen one is loaded, and no other farm is reported, before or after', async () => {
      const { farm, farmgate, save, savesDir, game, restart } = await setUp()
      const plays = async (name: string) => {
        // It looks at the played farm.
        expect(await farm.makeBackup()).toMatchObject({ save: name })
        expect([pointedTo(savesDir), game.played()?.folder]).toEqual([name, name])
        const { saves, unexpected } = await farm.saves()
        const active = saves.filter((one) => one.active).map((one) => one.name)
        expect([active, unexpected]).toEqual([[name], undefined])
      }
      await plays(cloverSave)
      save({ farmId: 7 })
      expect(await restart()).toMatchObject({ state: 'succeeded' })
      await plays(cloverSave)
      for (const name of ['Clover_7', cloverSave]) {
        const { operation } = await farm.chooseSave({ ...load, name })
        expect(await ended(farm, operation ?? expect.fail('no operation'))).toMatchObject({
          state: 'succeeded',
        })
        await plays(name)
      }
      expect(farmgate.log.map(({ message }) => message)).not.toContain(
        'the game does not play the farm that it is expected to play',
      )
    })

    test('a game that is restarted from outside with a pointer to nothing raises the alarm, and choosing the expected save brings the farm back', async () => {
      const { farm, savesDir, game } = await setUp()
      // It looks at the farm that is played.
      await farm.makeBackup()
      await game.stop()
      pointTo(savesDir, 'Nothing_1')
      await game.start()
      const wrong = { kind: 'other_farm', expected: { name: 'Clover' }, found: { name: 'Junimo' } }
      await eventually(async () => expect((await farm.saves()).unexpected).toMatchObject(wrong))
      const { operation } = await farm.chooseSave({ ...load, name: cloverSave })
      expect(await ended(farm, operation ?? expect.fail('no operation'))).toMatchObject({
        state: 'succeeded',
      })
      expect([pointedTo(savesDir), game.played()?.folder]).toEqual([cloverSave, cloverSave])
      await eventually(async () => expect(await farm.saves()).not.toHaveProperty('unexpected'))
    })

    test('a save of a person is never loaded by the pointer', async () => {
      const { farm, save, savesDir, asked } = await setUp()
      save({ ...oak, host: 'Robin' })
      await expect(farm.chooseSave({ ...load, hostTo: 'server' })).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('saves import Oak_7 --reload'),
      })
      expect([pointedTo(savesDir), asked]).toEqual([cloverSave, []])
    })

    test('choosing the save that is played writes a pointer that names no save', async () => {
      const { farm, savesDir, asked } = await setUp()
      pointTo(savesDir, 'Gone_5')
      expect(await farm.chooseSave({ ...load, name: cloverSave })).toMatchObject({
        message: 'The game plays Clover already',
      })
      expect([pointedTo(savesDir), asked]).toEqual([cloverSave, []])
    })

    const newFarm = async ({ farm }: Awaited<ReturnType<typeof setUp>>, more: object = {}) =>
      ended(farm, (await farm.startNewFarm({ ...fern, ...more })).operation)
    /** The old farm is as it was: its save, its pointer, the settings, what the game plays and what farmgate expects. */
    const isAsBefore = async ({ farm, game, savesDir, settingsPath }: Awaited<ReturnType<typeof setUp>>) => {
      expect([pointedTo(savesDir), game.played()?.folder]).toEqual([cloverSave, cloverSave])
      expect(readFileSync(settingsPath, 'utf8')).toBe('{"Game":{"FarmName":"Junimo"},"Server":{}}')
      await eventually(async () => {
        const { saves, unexpected } = await farm.saves()
        expect([unexpected, saves]).toMatchObject([undefined, [{ name: cloverSave, active: true }]])
      })
    }

    test('a new farm whose game reports another farm is undone: settings, pointer and game are those of the old farm', async () => {
      const own = await setUp()
      const { instead, game } = own
      instead.start = async () => {
        delete instead.start
        await game.start()
        Object.assign(game.world, { farmName: 'Mallory' })
        game.world.publish()
      }
      expect(await newFarm(own)).toMatchObject({ state: 'failed', undone: true })
      await isAsBefore(own)
    })

    test('a new farm that fails is not undone where no save from before is known: the old settings are back, and the game is not started', async () => {
      const own = await setUp()
      const { instead, game, saves, savesDir, settingsPath, asked } = own
      rmSync(join(saves, cloverSave), { recursive: true })
      pointTo(savesDir, null)
      instead.start = async () => {
        delete instead.start
        await game.start()
        Object.assign(game.world, { farmName: 'Mallory' })
        game.world.publish()
      }
      const operation = await newFarm(own)
      expect(operation).toMatchObject({
        state: 'failed',
        error: expect.stringMatching(/another farm .*No save from before is known/),
      })
      expect(operation).not.toHaveProperty('undone')
      expect(asked).toEqual(['stop', 'start', 'stop'])
      expect(readFileSync(settingsPath, 'utf8')).toBe('{"Game":{"FarmName":"Junimo"},"Server":{}}')
    })

    test('a new farm in which farmhands of another save appear is undone', async () => {
      const own = await setUp()
      const { instead, game } = own
      const [{ id, name } = expect.fail('no farmhand')] = game.world.farmhands
      instead.start = async () => {
        delete instead.start
        await game.start()
        game.world.addFarmhand(name, id)
      }
      expect(await newFarm(own)).toMatchObject({ state: 'failed', undone: true })
      await isAsBefore(own)
    })

    test('a new farm whose game dies in its first minute is undone', async () => {
      const own = await setUp()
      const { instead, game } = own
      instead.start = async () => {
        delete instead.start
        await game.start()
        await game.stop()
      }
      expect(await newFarm(own)).toMatchObject({
        state: 'failed',
        undone: true,
        error: 'The game ended after it was started',
      })
      await isAsBefore(own)
    })

    test('a new farm whose pointer names no folder after the first night has it repaired', async () => {
      const own = await setUp()
      const { savesDir, game } = own
      expect(await newFarm(own)).toMatchObject({ state: 'succeeded' })
      pointTo(savesDir, 'EM_1')
      game.night()
      const made = game.played()?.folder
      await eventually(async () => expect(await next(own)).toEqual({ state: 'ok', name: made, save: made }))
    })

    test('on its first day a new farm is restarted as itself, because the start makes it again', async () => {
      const own = await setUp()
      const { restart, game, farm } = own
      expect(await newFarm(own)).toMatchObject({ state: 'succeeded' })
      expect(await restart()).toMatchObject({ state: 'succeeded' })
      expect(game.world.farmName).toBe('Fern')
      game.night()
      const made = game.played()?.folder
      await eventually(async () => expect(await next(own)).toEqual({ state: 'ok', name: made, save: made }))
      expect(await farm.saves()).not.toHaveProperty('unexpected')
    })

    test('settings that someone changes before the stop fail it before the game is stopped, and stay', async () => {
      const own = await setUp()
      const { farm, game, settingsPath, asked } = own
      const { id } = game.world.join('Abby', 5n)
      await eventually(async () => expect((await farm.status()).playerCount).toBe(1))
      const { operation } = await farm.startNewFarm({ ...fern, when: 'empty' })
      writeFileSync(settingsPath, '{"Game":{"FarmName":"Mine"}}')
      game.world.leave(id)
      expect(await ended(farm, operation)).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('Someone else changed the settings file'),
      })
      expect([asked, readFileSync(settingsPath, 'utf8')]).toEqual([[], '{"Game":{"FarmName":"Mine"}}'])
    })

    test('settings that someone changes during the stop stay, and the old farm plays again', async () => {
      const { farm, game, settingsPath, savesDir, instead } = await setUp()
      instead.stop = async () => {
        delete instead.stop
        await game.stop()
        writeFileSync(settingsPath, '{"Game":{"FarmName":"Mine"}}')
      }
      const { operation } = await farm.startNewFarm(fern)
      expect(await ended(farm, operation)).toMatchObject({
        state: 'failed',
        undone: true,
        error: expect.stringContaining('Someone else changed the settings file'),
      })
      expect([pointedTo(savesDir), game.played()?.folder, readFileSync(settingsPath, 'utf8')]).toEqual([
        cloverSave,
        cloverSave,
        '{"Game":{"FarmName":"Mine"}}',
      ])
    })

    test('a settings file that is a link, and a pointer that is one, are 501, and nothing is changed', async () => {
      const { farm, savesDir, settingsPath, asked } = await setUp()
      const elsewhere = join(dirname(settingsPath), 'elsewhere')
      renameSync(settingsPath, elsewhere)
      symlinkSync(elsewhere, settingsPath)
      const refused = (words: string) => ({ status: 501, message: expect.stringContaining(words) })
      await expect(farm.startNewFarm(fern)).rejects.toMatchObject(refused('is a symbolic link'))
      renameSync(elsewhere, settingsPath)
      rmSync(pointerPath(savesDir))
      symlinkSync('/etc/hostname', pointerPath(savesDir))
      await expect(farm.startNewFarm(fern)).rejects.toMatchObject(refused('pointer'))
      expect(asked).toEqual([])
    })

    /** A new game of JunimoServer, whose folder has the name of the farm before. */
    const withNewGame = async () => {
      const own = await setUp()
      const { farm, game } = own
      await eventually(async () => expect((await farm.saves()).next?.state).toBe('ok'))
      const { warning } = await farm.createNewGame({ farmName: 'Meadow' })
      expect(warning).toMatch(/^Clover was loaded: its farmhands may appear .* POST \/saves\/new /)
      await eventually(async () => expect((await farm.status()).farmName).toBe('Meadow'))
      game.night()
      const made = game.played()?.folder ?? ''
      expect(made).toMatch(/^Clover_3/)
      return { ...own, made }
    }

    test('after /newgame the pointer is repaired as soon as the new farm has a save; a reload and a restore are 409 restart_needed until the game was restarted', async () => {
      const own = await withNewGame()
      const { farm, savesDir, game, restart, made: save } = own
      await eventually(async () => expect(await next(own)).toEqual({ state: 'ok', name: save, save }))
      const { id } = await farm.makeBackup()
      const refused = expect.objectContaining({ status: 409, code: 'restart_needed' })
      await eventually(() => expect(farm.reloadWorld()).rejects.toEqual(refused))
      await expect(farm.restoreBackup({ id })).rejects.toEqual(refused)
      expect(game.world.farmName).toBe('Meadow')
      expect(await restart()).toMatchObject({ state: 'succeeded' })
      expect([pointedTo(savesDir), game.played()?.folder]).toEqual([save, save])
      await eventually(() => farm.reloadWorld())
      expect((await farm.saves()).unexpected).toBeUndefined()
    })

    const strange: readonly [string, (path: string) => void][] = [
      ['a link', (path) => symlinkSync('/etc/hostname', path)],
      ['a folder', (path) => mkdirSync(path)],
      ['a pipe', (path) => execFileSync('mkfifo', [path])],
      [
        'a file of 1 GB',
        (path) => {
          writeFileSync(path, '{')
          truncateSync(path, 1e9)
        },
      ],
      ['no JSON', (path) => writeFileSync(path, '{"SaveNameToLoad')],
      ['another encoding', (path) => writeFileSync(path, Buffer.from('{"SaveNameToLoad":"A_1"}', 'utf16le'))],
    ]
    test('a pointer that cannot be read holds no start back, and the log says so', async () => {
      const own = await setUp()
      const { savesDir, farm, farmgate } = own
      const { operation } = await farm.stopGame({ warnMinutes: [], backup: false })
      await ended(farm, operation)
      for (const [what, put] of strange) {
        rmSync(pointerPath(savesDir), { recursive: true, force: true })
        put(pointerPath(savesDir))
        expect([what, await next(own)]).toEqual([what, { state: 'unknown' }])
      }
      own.instead.start = () => undefined
      expect((await farm.startGame()).operation.state).not.toBe('failed')
      expect(farmgate.log).toContainEqual(
        expect.objectContaining({
          message: expect.stringContaining('no pointer can be read'),
        }),
      )
    })
  })
}
