/** Every endpoint of the control API, in the order of the page at `/docs`. A new endpoint is added to this list. */
import type { Endpoint } from '../endpoint.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { accounts } from './accounts.ts'
import { announce } from './announce.ts'
import { audit } from './audit.ts'
import { backups } from './backups.ts'
import { signInWithDiscord, signInWithOidc } from './begin-sign-in.ts'
import { cabins } from './cabins.ts'
import { cancelHostOperation } from './cancel-host-operation.ts'
import { changeAccount } from './change-account.ts'
import { changeSchedule } from './change-schedule.ts'
import { changeSettings } from './change-settings.ts'
import { chooseSave } from './choose-save.ts'
import { createInvitation } from './create-invitation.ts'
import { createKey } from './create-key.ts'
import { createSchedule } from './create-schedule.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteAccount } from './delete-account.ts'
import { deleteBackup } from './delete-backup.ts'
import { deleteFarmhand } from './delete-farmhand.ts'
import { deleteInvitation } from './delete-invitation.ts'
import { deleteSchedule } from './delete-schedule.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { diagnosticsState } from './diagnostics-state.ts'
import { discordServers } from './discord-servers.ts'
import { downloadBackup } from './download-backup.ts'
import { endSignIn } from './end-sign-in.ts'
import { exportAudit } from './export-audit.ts'
import { farmhands } from './farmhands.ts'
import { grantAdmin } from './grant-admin.ts'
import { health } from './health.ts'
import { historyChat } from './history-chat.ts'
import { historyDays } from './history-days.ts'
import { historyPlayers } from './history-players.ts'
import { historySamples } from './history-samples.ts'
import { historySessions } from './history-sessions.ts'
import { host } from './host.ts'
import { restartGame, startGame, stopGame } from './host-actions.ts'
import { hostLog } from './host-log.ts'
import { hostOperations } from './host-operations.ts'
import { invitations } from './invitations.ts'
import { inviteCode } from './invite-code.ts'
import { keys } from './keys.ts'
import { makeBackup } from './make-backup.ts'
import { makeDiscordCode } from './make-discord-code.ts'
import { metrics } from './metrics.ts'
import { newGame } from './new-game.ts'
import { ownKey } from './own-key.ts'
import { passwordProtection } from './password-protection.ts'
import { players } from './players.ts'
import { ready } from './ready.ts'
import { rebindFarmhand } from './rebind-farmhand.ts'
import { reload } from './reload.ts'
import { rendering } from './rendering.ts'
import { replayDelivery } from './replay-delivery.ts'
import { restoreBackup } from './restore-backup.ts'
import { revokeKey } from './revoke-key.ts'
import { runSchedule } from './run-schedule.ts'
import { saves } from './saves.ts'
import { schedules } from './schedules.ts'
import { screenshot } from './screenshot.ts'
import { setAccountGroups } from './set-account-groups.ts'
import { setClockSpeed } from './set-clock-speed.ts'
import { setDiscordRoles } from './set-discord-roles.ts'
import { setLoginTimeout } from './set-login-timeout.ts'
import { setRendering } from './set-rendering.ts'
import { setTime } from './set-time.ts'
import { settings } from './settings.ts'
import { showInvitation } from './show-invitation.ts'

import { signInProviders } from './sign-in-providers.ts'
import { signOut } from './sign-out.ts'
import { stats } from './stats.ts'
import { status } from './status.ts'
import { testWebhook } from './test-webhook.ts'
import { typeAtConsole } from './type-at-console.ts'
import { unbindDiscordServer } from './unbind-discord-server.ts'
import { uploadSave } from './upload-save.ts'
import { waitFarmhands } from './wait-farmhands.ts'
import { waitHealth } from './wait-health.ts'
import { waitPlayers } from './wait-players.ts'
import { waitStatus } from './wait-status.ts'
import { webhookDeliveries } from './webhook-deliveries.ts'
import { webhooks } from './webhooks.ts'

const all = [
  health,
  ready,
  status,
  players,
  inviteCode,
  farmhands,
  deleteFarmhand,
  rebindFarmhand,
  settings,
  changeSettings,
  cabins,
  rendering,
  setRendering,
  setTime,
  grantAdmin,
  announce,
  stats,
  screenshot,
  setClockSpeed,
  passwordProtection,
  setLoginTimeout,
  newGame,
  reload,
  diagnosticsState,
  metrics,
  audit,
  exportAudit,
  waitStatus,
  waitPlayers,
  waitFarmhands,
  waitHealth,
  keys,
  ownKey,
  createKey,
  revokeKey,
  signInProviders,
  signInWithDiscord,
  signInWithOidc,
  endSignIn,
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
  historyChat,
  backups,
  makeBackup,
  downloadBackup,
  restoreBackup,
  deleteBackup,
  saves,
  uploadSave,
  chooseSave,
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
