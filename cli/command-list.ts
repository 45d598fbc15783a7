/** Every command, in the order of the help. A new one is a file in commands/ and its line here. */

import { accounts } from './commands/accounts.ts'
import type { AddCommand } from './commands/add-command.ts'
import { admin } from './commands/admin.ts'
import { allowlist } from './commands/allowlist.ts'
import { announce } from './commands/announce.ts'
import { api } from './commands/api.ts'
import { audit } from './commands/audit.ts'
import { backups } from './commands/backups.ts'
import { cabins } from './commands/cabins.ts'
import { chat } from './commands/chat.ts'
import { completion } from './commands/completion.ts'
import { demo } from './commands/demo.ts'
import { discord } from './commands/discord.ts'
import { doctor } from './commands/doctor.ts'
import { exportFarm } from './commands/export-farm.ts'
import { farmhands } from './commands/farmhands.ts'
import { fleet } from './commands/fleet.ts'
import { consoleCommand, logs } from './commands/game-output.ts'
import { operations, restart, start, stop } from './commands/game-process.ts'
import { history } from './commands/history.ts'
import { importSave } from './commands/import-save.ts'
import { init } from './commands/init.ts'
import { invitations } from './commands/invitations.ts'
import { invite } from './commands/invite.ts'
import { keys } from './commands/keys.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { mods } from './commands/mods.ts'
import { players } from './commands/players.ts'
import { reload } from './commands/reload.ts'
import { rendering } from './commands/rendering.ts'
import { restore } from './commands/restore.ts'
import { saves } from './commands/saves.ts'
import { say } from './commands/say.ts'
import { schedules } from './commands/schedules.ts'
import { serve } from './commands/serve.ts'
import { settings } from './commands/settings.ts'
import { speed } from './commands/speed.ts'
import { status } from './commands/status.ts'
import { support } from './commands/support.ts'
import { time } from './commands/time.ts'
import { watch } from './commands/watch.ts'
import { webhooks } from './commands/webhooks.ts'

export const commandList: readonly AddCommand[] = [
  demo,
  init,
  serve,
  login,
  logout,
  status,
  players,
  farmhands,
  invite,
  say,
  announce,
  chat,
  time,
  speed,
  rendering,
  reload,
  start,
  stop,
  restart,
  operations,
  logs,
  consoleCommand,
  schedules,
  mods,
  admin,
  cabins,
  settings,
  keys,
  accounts,
  invitations,
  allowlist,
  webhooks,
  discord,
  audit,
  history,
  backups,
  restore,
  saves,
  exportFarm,
  importSave,
  watch,
  fleet,
  api,
  doctor,
  support,
  completion,
]
