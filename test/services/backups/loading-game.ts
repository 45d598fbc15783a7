/** A game that plays what it loaded last, and a farm that has played on since its backup. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { loadSave, saveName } from '../../../bridges/simulated/save-files.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { BackupParts } from '../../../services/backups/open-backups.ts'
import { backupsOf, clover, type SavedFarm, savedFarm } from '../../backups/saved-farm.ts'
import { well } from '../../backups/well-game.ts'
import { type LogLine, recorder } from '../../logs.ts'

export const name = saveName(clover)
export const summer = (day: number) => ({ date: { season: 'summer', day, year: 1 } as const })

/** @param folder of the save that it loads @param played what it has loaded already */
function loadingGame({ saves }: Pick<SavedFarm, 'saves'>, folder: string, played = loadSave(saves, folder)) {
  const state = { loads: 0, players: 0, canLoad: true, isSaving: false, isStale: false }
  const bridge = {
    health: () => ({ ...well, ...(state.isStale && { isStale: true as const }) }),
    status: async (): Promise<Status> => ({
      ...neverSeen,
      farmName: played?.farmName ?? '',
      ...(played?.date ?? {}),
      isOnline: played !== undefined,
      isReady: true,
      dayTransitionComplete: !state.isSaving,
      lastUpdated: new Date().toISOString(),
    }),
    players: async () => ({
      players: Array.from({ length: state.players }, (_one, at) => ({
        id: BigInt(at),
        name: 'a',
        isOnline: true,
      })),
      version: 1,
    }),
    async reload() {
      state.loads += 1
      if (!state.canLoad) throw new FarmError({ kind: 'timeout', write: true })
      played = loadSave(saves, folder)
      if (played === undefined) throw new FarmError({ kind: 'timeout', write: true })
      return 'World reloaded'
    },
    subscribe: () => () => {},
  } satisfies Partial<GameBridge>
  return Object.assign(state, { bridge })
}

/** farmgate starts together with the game. @param folder of the save that the game plays */
export function started(
  saved: Pick<SavedFarm, 'savesDir' | 'saves' | 'folder'>,
  log: LogLine[] = [],
  more: Partial<BackupParts> = {},
  folder = name,
) {
  const game = loadingGame(saved, folder)
  // At the start no day runs, so that only tests make backups.
  game.isSaving = true
  const backups = backupsOf(saved, game.bridge, { log: recorder(log), ...more })
  game.isSaving = false
  return { game, ...backups }
}

/** The files of a farm at day 5 with a backup, which the first test that needs them makes. */
let atDay5: Promise<{ readonly id: string; readonly files: ReadonlyMap<string, Buffer> }> | undefined

const rootOf = ({ savesDir }: SavedFarm) => join(savesDir, '..')

async function farmAtDay5() {
  const saved = savedFarm()
  saved.save(summer(5))
  const { port, close } = started(saved)
  const { id } = await port.makeBackup()
  await close()
  const paths = readdirSync(rootOf(saved), { recursive: true, encoding: 'utf8' })
  const files = new Map(
    paths.flatMap((path) => {
      const file = join(rootOf(saved), path)
      return statSync(file).isFile() ? [[path, readFileSync(file)] as const] : []
    }),
  )
  saved.remove()
  return { id, files }
}

/** A backup of day 5, of a farm that is at day 9. */
export async function atDay9(saved: SavedFarm, log: LogLine[] = []) {
  atDay5 ??= farmAtDay5()
  const { id, files } = await atDay5
  for (const [path, content] of files) {
    mkdirSync(dirname(join(rootOf(saved), path)), { recursive: true })
    writeFileSync(join(rootOf(saved), path), content, { mode: 0o600 })
  }
  saved.save(summer(9))
  return { id, ...started(saved, log) }
}
