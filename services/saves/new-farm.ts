/**
 * A new farm by an operation (docs/backups.md, "Saves"): the game creates it at a start without a pointer, from the
 * settings for new worlds. In a new process no farmhand of the present farm can appear in it, as after `POST /newgame`.
 */
import { FarmError, farmgateCannot } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { AskedBy } from '../../handlers/host.ts'
import type { HostOperation } from '../../handlers/host-record.ts'
import { type NewFarm, settingsOf, stopFor } from '../../handlers/new-farm.ts'
import { problemOf } from '../../handlers/problem.ts'
import type { SettingsPatch } from '../../handlers/settings-change.ts'
import type { StartPlan } from '../../handlers/start-plan.ts'
import type { Preparation } from '../host/preparation.ts'
import { knownSaves } from './known-saves.ts'
import { abilitiesOf, type LoadParts } from './load-save.ts'
import { canPoint, loadNone, nextSave } from './pointer.ts'
import { activeSave, foundSave, namesOfSaves, savesState } from './saves-folder.ts'
import type { RightFarm } from './watch-right-farm.ts'

/** The game's settings file, as a whole. */
export interface SettingsFile {
  /** The whole file. @throws {FarmError} settings_file, unsupported */
  read(): Promise<string>
  /** Changes nothing. @throws {FarmError} settings_file, unsupported: it cannot be replaced */
  checkWritable(): Promise<void>
  /** The name of the farm that the game creates with this text. @throws {FarmError} settings_file */
  farmName(text: string): string
  /** The text of the file with the members of a patch. @throws {FarmError} settings_file */
  merged(text: string, patch: SettingsPatch): string
  /** Does nothing where it is done already. @throws {FarmError} settings_changed, settings_file, unsupported */
  replace(from: string, to: string): Promise<void>
}

export interface NewFarmParts {
  /** `SAVES_DIR` */
  readonly savesDir: string | undefined
  readonly game: Pick<GameBridge, 'status' | 'farmhands'>
  readonly host: LoadParts['host']
  /** Undefined without `SETTINGS_PATH`. */
  readonly settings: SettingsFile | undefined
  readonly rightFarm: Pick<RightFarm, 'expected'>
}

const needsSaves = "write access to JunimoServer's saves (SAVES_ACCESS=rw)"
const needsSettings = 'a settings file that can be written (SETTINGS_PATH)'

type NewFarmPlan = Extract<StartPlan, { action: 'new_farm' }>

/**
 * Begins the operation.
 * @throws {FarmError} unsupported, naming all that is missing; as `Saves.startNewFarm`
 */
export async function beginNewFarm(
  { savesDir, game, host, settings, rightFarm }: NewFarmParts,
  farm: NewFarm,
  by: AskedBy,
): Promise<HostOperation> {
  const missing: string[] = []
  if ((await savesState(savesDir)) === 'absent') missing.push('the saves (SAVES_DIR)')
  else if (savesDir === undefined || !(await canPoint(savesDir))) missing.push(needsSaves)
  if (settings === undefined) missing.push(needsSettings)
  else
    await settings.checkWritable().catch((error: unknown) => {
      missing.push(`${needsSettings}${why(error)}`)
    })
  if ((await abilitiesOf(host)) === undefined)
    missing.push('a host that can stop and start the game (GAME_HOST)')
  if (missing.length > 0 || savesDir === undefined || settings === undefined)
    throw farmgateCannot(`start a new farm: it needs ${missing.join(', and ')}`)
  const before = await settings.read()
  const next = await nextSave(savesDir)
  if (next.state === 'unknown')
    throw farmgateCannot("start a new farm: it cannot read JunimoServer's pointer to the save")
  const status = await game.status()
  const [active, farmhands] = await Promise.all([
    activeSave(savesDir, status).catch(() => undefined),
    game.farmhands().then(
      (found) => found.farmhands.map(({ id }) => `${id}`),
      () => [],
    ),
  ])
  const expected = await rightFarm.expected()
  const save = status.farmName === '' ? next.save : (active?.name ?? next.save)
  return host.beginOperation('new_farm', stopFor(farm), by, {
    action: 'new_farm',
    farmName: farm.farmName,
    ...(save !== undefined && { before: save }),
    ...(expected !== undefined && { expected }),
    settings: { before, after: settings.merged(before, settingsOf(farm)) },
    saves: [...(await namesOfSaves(savesDir).catch(() => []))],
    farmhands,
  })
}

const why = (error: unknown): string => {
  if (!(error instanceof FarmError)) throw error
  return error.failure.kind === 'settings_file' ? `: ${error.failure.sentence}` : ''
}

interface CreateParts extends Omit<NewFarmParts, 'host' | 'rightFarm'> {
  readonly rightFarm: Pick<RightFarm, 'allow' | 'disallow' | 'takeBack' | 'expect' | 'hasNewGame'>
}

const messageOf = (error: unknown): string =>
  error instanceof FarmError ? problemOf(error.failure).message : String(error)

/** What the game loads at the starts of the operation. */
export function creatingFarm(
  { savesDir = '', game, settings, rightFarm }: CreateParts,
  { farmName, before, expected, settings: file, saves, farmhands }: NewFarmPlan,
): Preparation {
  const { loadAgain, isPlayed } = knownSaves({ savesDir, game })
  // On any day, because the first one can pass while farmgate does not run.
  const mark = { name: farmName }

  /** @throws {FarmError} unsupported */
  function required(): SettingsFile {
    if (settings === undefined) throw farmgateCannot('start a new farm: SETTINGS_PATH is not set')
    return settings
  }

  /** @throws {FarmError} as `SettingsFile`; unsupported */
  async function readyToChange(): Promise<void> {
    const text = await required().read()
    await required().checkWritable()
    if (text !== file.before && text !== file.after) throw new FarmError({ kind: 'settings_changed' })
    if (!(await canPoint(savesDir))) throw farmgateCannot(`start a new farm: it needs ${needsSaves}`)
  }

  async function isNew(): Promise<boolean | undefined> {
    const status = await game.status()
    const { isOnline, season, day, year } = status
    if (!isOnline || status.farmName === '') return undefined
    if (status.farmName !== farmName) return false
    const { state, save } = await nextSave(savesDir)
    if (state === 'ok' && save !== undefined && saves.includes(save)) return false
    const found = await game.farmhands()
    if (found.farmhands.some(({ id }) => farmhands.includes(`${id}`))) return false
    if (year === 1 && season === 'spring' && day === 1) return true
    const played = season === '' ? undefined : await foundSave(savesDir, farmName, { season, day, year })
    return played?.isOfDay === true && !saves.includes(played.save.name)
  }

  return {
    beforeStart: () =>
      readyToChange().then(
        () => 'preparation' as const,
        (error: unknown) => ({ refused: messageOf(error) }),
      ),
    async prepare() {
      await required().replace(file.before, file.after)
      await rightFarm.disallow(mark)
      await rightFarm.allow(mark)
      await loadNone(savesDir)
    },
    async undo() {
      // A game that loads a save does not use them, so it plays without them.
      const remark = await settings?.replace(file.after, file.before).then(
        () => undefined,
        (error: unknown) => `The settings file is not as before: ${messageOf(error)}`,
      )
      await rightFarm.takeBack(mark, expected)
      await loadAgain(before)
      return remark
    },
    isRightFarm: (isUndone) => (isUndone ? isPlayed(before ?? '') : isNew()),
    async succeeded() {
      await rightFarm.expect(mark)
      // Its folder appears with its first night.
      await rightFarm.hasNewGame()
    },
  }
}
