/** The method and path that each call is sent to. */
import type { CallName } from './calls.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
  /** The parameters are sent as a JSON body, not in the query. */
  readonly hasBody?: true
  /** The answer is text, not JSON. */
  readonly isText?: true
  /** Milliseconds; loading, creating or copying a world takes up to two minutes. */
  readonly timeout?: number
}

const get = (path: Route['path']): Route => ({ method: 'GET', path })
const post = (path: Route['path']): Route => ({ method: 'POST', path })
const worldTimeout = 150_000
/** A restore makes a copy of the save first, and loads the world twice when the game does not load the backup. */
const restoreTimeout = 420_000

export const routes: Readonly<Record<CallName, Route>> = {
  health: get('/health'),
  ready: get('/ready'),
  status: get('/status'),
  players: get('/players'),
  inviteCode: get('/invite-code'),
  farmhands: get('/farmhands'),
  deleteFarmhand: { method: 'DELETE', path: '/farmhands' },
  rebindFarmhand: post('/farmhands/rebind'),
  settings: get('/settings'),
  changeSettings: { method: 'PATCH', path: '/settings', hasBody: true },
  cabins: get('/cabins'),
  rendering: get('/rendering'),
  setRendering: post('/rendering'),
  setTime: post('/time'),
  grantAdmin: post('/roles/admin'),
  announce: { ...post('/announce'), hasBody: true },
  stats: get('/stats'),
  screenshot: get('/screenshot'),
  setClockSpeed: post('/clock-speed'),
  passwordProtection: get('/auth'),
  setLoginTimeout: post('/auth/timeout'),
  createNewGame: { ...post('/newgame'), hasBody: true, timeout: worldTimeout },
  reloadWorld: { ...post('/reload'), timeout: worldTimeout },
  diagnosticsState: get('/diagnostics/state'),
  audit: get('/audit'),
  historySessions: get('/history/sessions'),
  historyPlayers: get('/history/players'),
  historySamples: get('/history/samples'),
  historyDays: get('/history/days'),
  historyChat: get('/history/chat'),
  keys: get('/keys'),
  ownKey: get('/keys/own'),
  createKey: { ...post('/keys'), hasBody: true },
  revokeKey: { method: 'DELETE', path: '/keys' },
  backups: get('/backups'),
  makeBackup: { ...post('/backups'), timeout: worldTimeout },
  restoreBackup: { ...post('/backups/restore'), timeout: restoreTimeout },
  deleteBackup: { method: 'DELETE', path: '/backups' },
  webhooks: get('/webhooks'),
  createWebhook: { ...post('/webhooks'), hasBody: true },
  deleteWebhook: { method: 'DELETE', path: '/webhooks' },
  testWebhook: post('/webhooks/test'),
  webhookDeliveries: get('/webhooks/deliveries'),
  replayDelivery: post('/webhooks/replay'),
  makeDiscordCode: post('/discord/codes'),
  discordServers: get('/discord/servers'),
  setDiscordRoles: { method: 'PATCH', path: '/discord/servers', hasBody: true },
  unbindDiscordServer: { method: 'DELETE', path: '/discord/servers' },
  waitForStatus: get('/wait/status'),
  waitForPlayers: get('/wait/players'),
  waitForFarmhands: get('/wait/farmhands'),
  waitForHealth: get('/wait/health'),
}
