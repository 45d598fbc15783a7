import { randomBytes } from 'node:crypto'
import type { FarmPorts } from '../../handlers/endpoint.ts'
import { roomBeyondReserve } from '../../lib/free-space.ts'
import type { Log } from '../../lib/log.ts'
import { noMods } from '../../services/mods/no-mods.ts'
import { type OpenMods, openMods } from '../../services/mods/open-mods.ts'
import type { Config } from './config.ts'
import type { OwnActions } from './own-actions.ts'

interface GameModsParts extends Pick<FarmPorts, 'game' | 'backups'>, Pick<OwnActions, 'process'> {
  readonly config: Config
  readonly log: Log
}

/** Where disabled mods are, unless there are none. */
export const modsOffDir = ({ MODS_DIR, MODS_OFF_DIR }: Config): string | undefined =>
  MODS_OFF_DIR ?? (MODS_DIR === undefined ? undefined : `${MODS_DIR.replace(/\/+$/, '')}.off`)

/** The mods of the game server, where `MODS_DIR` is set. */
export function openGameMods({ config, game, backups, process, log }: GameModsParts): OpenMods {
  const { MODS_DIR: dir, MODS_ACCESS: access, MODS_UPDATES, MODS_UPDATES_URL } = config
  const offDir = modsOffDir(config)
  if (dir === undefined || offDir === undefined)
    return { port: noMods, tick: () => undefined, close: async () => undefined }
  return openMods({
    dir,
    offDir,
    access,
    updatesUrl: MODS_UPDATES ? MODS_UPDATES_URL : undefined,
    dataDir: config.DATA_DIR,
    publicUrl: config.PUBLIC_URL,
    backups,
    game,
    startedAt: () => startOf(process),
    room: roomBeyondReserve,
    fetch: globalThis.fetch,
    now: Date.now,
    monotonic: () => performance.now(),
    randomBytes,
    log,
  })
}

/** @returns undefined where the host does not say it; a game that does not run will start later */
async function startOf(process: OwnActions['process']): Promise<number | undefined> {
  const found = await process().catch(() => undefined)
  if (found?.state === 'stopped' || found?.state === 'crashed') return Number.POSITIVE_INFINITY
  return found?.state === 'running' ? found.since : undefined
}
