import type { FarmPorts } from '../handlers/endpoint.ts'
import type { GameBridge } from '../handlers/game-bridge.ts'
import { noHost } from '../services/host/no-host.ts'
import { noMods } from '../services/mods/no-mods.ts'
import { memoryDownloads } from './records/memory-downloads.ts'
import { memoryRecords } from './records/memory-records.ts'
import { noAccounts } from './records/no-accounts.ts'
import { noBackups } from './records/no-backups.ts'
import { noSaves } from './records/no-saves.ts'
import { noSchedules } from './records/no-schedules.ts'
import { noSupport } from './records/no-support.ts'

/** The ports of a farm of which a test needs only some: the others are empty. */
export const portsOf = (
  game: GameBridge,
  { records = memoryRecords(), ...given }: Partial<FarmPorts> = {},
): FarmPorts => ({
  game,
  records,
  backups: noBackups,
  host: noHost,
  schedules: noSchedules,
  saves: noSaves,
  mods: noMods,
  accounts: noAccounts,
  downloads: memoryDownloads(),
  support: noSupport,
  ticketService: { signIn: async () => undefined },
  ...given,
})
