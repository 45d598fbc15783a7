/** The promises of the HTTP API (docs/api.md), over HTTP alone: every runtime passes them. */
import { describe } from 'vitest'
import { upgradeContract } from './chat/upgrade.ts'
import { allowlistContract } from './http/allowlist.ts'
import { auditContract, auditOfWritesContract, auditPagesContract } from './http/audit.ts'
import { authContract } from './http/auth.ts'
import { backupDownloadContract, backupsContract } from './http/backups.ts'
import { badgeContract } from './http/badge.ts'
import { bodiesContract } from './http/bodies.ts'
import { browserContract } from './http/browsers.ts'
import { commonContract } from './http/common.ts'
import { discordContract } from './http/discord.ts'
import { downloadsContract } from './http/downloads.ts'
import { gameOfflineContract } from './http/game-offline.ts'
import { historyContract } from './http/history.ts'
import { idContract } from './http/ids.ts'
import { joinContract } from './http/join.ts'
import { keyScopesContract } from './http/key-scopes.ts'
import { keysContract } from './http/keys.ts'
import { limitContract } from './http/limits.ts'
import { modsContract } from './http/mods.ts'
import { nightContract } from './http/night.ts'
import { pageContract } from './http/pages.ts'
import { readContract } from './http/reads.ts'
import { refusalsContract } from './http/refusals.ts'
import { savesContract } from './http/saves.ts'
import { schedulesContract } from './http/schedules.ts'
import { settingsContract } from './http/settings.ts'
import { webhooksContract } from './http/webhooks.ts'
import type { RuntimeUnderTest } from './server-under-test.ts'

/** What a platform can change of the same program: headers, methods, paths, pages and handshakes. */
export function platformContract(name: string, runtime: RuntimeUnderTest): void {
  describe(`the control API ${name} follows the contract where its platform has a part in it`, () => {
    commonContract(runtime)
    pageContract(runtime)
    upgradeContract(runtime)
  })
}

/**
 * What the edge has a part in. It forwards the calls of all other services unread (test/edge/forwarded.test.ts), and the
 * contract of the client makes each call there, of the game too.
 */
export function edgeContract(name: string, runtime: RuntimeUnderTest): void {
  describe(`the control API ${name} follows the contract over HTTP`, () => {
    commonContract(runtime)
    authContract(runtime)
    keysContract(runtime)
    keyScopesContract(runtime)
    bodiesContract(runtime)
    browserContract(runtime)
    limitContract(runtime)
    readContract(runtime)
    badgeContract(runtime)
    joinContract(runtime)
    refusalsContract(runtime)
    auditContract(runtime)
    auditOfWritesContract(runtime)
    backupDownloadContract(runtime)
    downloadsContract(runtime)
    modsContract(runtime)
    savesContract(runtime)
    discordContract(runtime)
    gameOfflineContract(runtime)
    pageContract(runtime)
  })
}

export function httpContract(name: string, runtime: RuntimeUnderTest): void {
  edgeContract(name, runtime)
  describe(`game and services of the control API ${name} follow the contract over HTTP`, () => {
    idContract(runtime)
    nightContract(runtime)
    settingsContract(runtime)
    auditPagesContract(runtime)
    historyContract(runtime)
    backupsContract(runtime)
    allowlistContract(runtime)
    schedulesContract(runtime)
    webhooksContract(runtime)
  })
}
