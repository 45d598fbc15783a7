/**
 * Every endpoint of the control API, in the order of the page at `/docs`. A new endpoint is added to this list, or to
 * those of `shared-endpoints.ts` when the edge answers it too; then `npm run generate`.
 */
import type { Endpoint } from '../endpoint.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { accounts } from './accounts.ts'
import { allowlist } from './allowlist.ts'
import { audit } from './audit.ts'
import { backups } from './backups.ts'
import { signInWithDiscord, signInWithOidc } from './begin-sign-in.ts'
import { cancelHostOperation } from './cancel-host-operation.ts'
import { changeAccount } from './change-account.ts'
import { changeMod } from './change-mod.ts'
import { changeSchedule } from './change-schedule.ts'
import { chooseSave } from './choose-save.ts'
import { createInvitation } from './create-invitation.ts'
import { createKey } from './create-key.ts'
import { createPackLink } from './create-pack-link.ts'
import { createSchedule } from './create-schedule.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteAccount } from './delete-account.ts'
import { deleteBackup } from './delete-backup.ts'
import { deleteInvitation } from './delete-invitation.ts'
import { deleteMod } from './delete-mod.ts'
import { deleteSchedule } from './delete-schedule.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { discordServers } from './discord-servers.ts'
import { downloadBackup } from './download-backup.ts'
import { createDownload, oneDownload } from './downloads.ts'
import { disableMod, enableMod } from './enable-mod.ts'
import { endSignIn } from './end-sign-in.ts'
import { expectSave } from './expect-save.ts'
import { exportAudit } from './export-audit.ts'
import { historyChat } from './history-chat.ts'
import { historyDays } from './history-days.ts'
import { historyOutages } from './history-outages.ts'
import { historyPlayers } from './history-players.ts'
import { historySamples } from './history-samples.ts'
import { historySessions } from './history-sessions.ts'
import { host } from './host.ts'
import { restartGame, startGame, stopGame } from './host-actions.ts'
import { hostLog } from './host-log.ts'
import { hostOperations } from './host-operations.ts'
import { installMods } from './install-mods.ts'
import { invitations } from './invitations.ts'
import { join } from './join.ts'
import { keys } from './keys.ts'
import { makeBackup } from './make-backup.ts'
import { makeDiscordCode } from './make-discord-code.ts'
import { modUpdates } from './mod-updates.ts'
import { mods } from './mods.ts'
import { modsPack, sharedPack } from './mods-pack.ts'
import { ownKey } from './own-key.ts'
import { packLinks, revokePackLink } from './pack-links.ts'
import { replayDelivery } from './replay-delivery.ts'
import { restoreBackup } from './restore-backup.ts'
import { revokeKey } from './revoke-key.ts'
import { runSchedule } from './run-schedule.ts'
import { saves } from './saves.ts'
import { schedules } from './schedules.ts'
import { setAccountGroups } from './set-account-groups.ts'
import { setAllowlist } from './set-allowlist.ts'
import { setDiscordRoles } from './set-discord-roles.ts'
import { gameEndpoints, waitingEndpoints } from './shared-endpoints.ts'
import { showInvitation } from './show-invitation.ts'
import { signInProviders } from './sign-in-providers.ts'
import { signOut } from './sign-out.ts'
import { startNewFarm } from './start-new-farm.ts'
import { support } from './support.ts'
import { takeSession } from './take-session.ts'
import { testWebhook } from './test-webhook.ts'
import { typeAtConsole } from './type-at-console.ts'
import { unbindDiscordServer } from './unbind-discord-server.ts'
import { uploadSave } from './upload-save.ts'
import { webhookDeliveries } from './webhook-deliveries.ts'
import { webhooks } from './webhooks.ts'

const all = [
  ...gameEndpoints,
  audit,
  exportAudit,
  ...waitingEndpoints,
  join,
  support,
  keys,
  ownKey,
  createKey,
  revokeKey,
  signInProviders,
  signInWithDiscord,
  signInWithOidc,
  endSignIn,
  takeSession,
  signOut,
  accounts,
  changeAccount,
  deleteAccount,
  setAccountGroups,
  invitations,
  createInvitation,
  deleteInvitation,
  showInvitation,
  acceptInvitation,
  historySessions,
  historyPlayers,
  historySamples,
  historyDays,
  historyOutages,
  historyChat,
  backups,
  makeBackup,
  downloadBackup,
  restoreBackup,
  deleteBackup,
  createDownload,
  oneDownload,
  saves,
  uploadSave,
  chooseSave,
  startNewFarm,
  expectSave,
  allowlist,
  setAllowlist,
  host,
  startGame,
  stopGame,
  restartGame,
  hostOperations,
  cancelHostOperation,
  hostLog,
  typeAtConsole,
  schedules,
  createSchedule,
  changeSchedule,
  deleteSchedule,
  runSchedule,
  mods,
  installMods,
  enableMod,
  disableMod,
  deleteMod,
  changeMod,
  modsPack,
  packLinks,
  createPackLink,
  revokePackLink,
  sharedPack,
  modUpdates,
  webhooks,
  createWebhook,
  deleteWebhook,
  testWebhook,
  webhookDeliveries,
  replayDelivery,
  makeDiscordCode,
  discordServers,
  setDiscordRoles,
  unbindDiscordServer,
] as const satisfies readonly Endpoint[]

export const endpoints: readonly Endpoint[] = all

/** Each endpoint with its own types, for those of the client. */
export type AnyEndpoint = (typeof all)[number]
