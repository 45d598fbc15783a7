/** The endpoints that the edge forwards to the farm. Written by `npm run generate`. */
import { atFarm } from '../forwarded-endpoint.ts'

export const forwardedEndpoints = [
  atFarm('GET', '/audit', 'admin', 'getAudit', ['before', 'limit', 'action', 'key']),
  atFarm('GET', '/audit/export', 'admin', 'exportAudit', ['action', 'key'], {
    stream: { type: 'application/jsonl' },
  }),
  atFarm('GET', '/join', 'read', 'getJoin', []),
  atFarm('GET', '/support', 'admin', 'getSupport', ['names'], { stream: { type: 'application/zip' } }),
  atFarm('GET', '/keys', 'admin', 'getKeys', []),
  atFarm('POST', '/keys', 'admin', 'createKey', [], { body: { type: 'application/json', maxBytes: 16384 } }),
  atFarm('DELETE', '/keys', 'admin', 'revokeKey', ['id']),
  atFarm('GET', '/sign-in', 'public', 'getSignInProviders', []),
  atFarm('GET', '/sign-in/discord', 'public', 'signInWithDiscord', ['next'], {
    budget: 30000,
    redirect: true,
  }),
  atFarm('GET', '/sign-in/oidc', 'public', 'signInWithOidc', ['next'], { budget: 30000, redirect: true }),
  atFarm('GET', '/sign-in/callback', 'public', 'endSignIn', ['code', 'state', 'iss', 'error'], {
    budget: 30000,
    redirect: true,
  }),
  atFarm('POST', '/sign-in/session', 'public', 'takeSession', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('POST', '/sign-out', 'key', 'signOut', ['everywhere'], { endsSession: true }),
  atFarm('GET', '/accounts', 'admin', 'getAccounts', []),
  atFarm('PATCH', '/accounts', 'admin', 'changeAccount', ['id'], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('DELETE', '/accounts', 'admin', 'deleteAccount', ['id', 'keys']),
  atFarm('PATCH', '/accounts/groups', 'admin', 'setAccountGroups', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('GET', '/invitations', 'admin', 'getInvitations', []),
  atFarm('POST', '/invitations', 'admin', 'createInvitation', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('DELETE', '/invitations', 'admin', 'deleteInvitation', ['id']),
  atFarm('POST', '/invitations/show', 'public', 'showInvitation', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('POST', '/invitations/accept', 'key', 'acceptInvitation', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('GET', '/history/sessions', 'read', 'getHistorySessions', [
    'from',
    'to',
    'playerId',
    'before',
    'limit',
  ]),
  atFarm('GET', '/history/players', 'read', 'getHistoryPlayers', []),
  atFarm('GET', '/history/samples', 'read', 'getHistorySamples', ['from', 'to', 'step']),
  atFarm('GET', '/history/days', 'read', 'getHistoryDays', ['before', 'limit']),
  atFarm('GET', '/history/outages', 'read', 'getHistoryOutages', ['from']),
  atFarm('GET', '/history/chat', 'read', 'getHistoryChat', ['before', 'limit']),
  atFarm('GET', '/backups', 'read', 'getBackups', []),
  atFarm('POST', '/backups', 'control', 'makeBackup', [], { budget: 130000 }),
  atFarm('GET', '/backups/download', 'admin', 'downloadBackup', ['id'], {
    stream: { type: 'application/zip' },
  }),
  atFarm('POST', '/backups/restore', 'admin', 'restoreBackup', ['id', 'dryRun'], { budget: 400000 }),
  atFarm('DELETE', '/backups', 'admin', 'deleteBackup', ['id']),
  atFarm('POST', '/downloads', 'key', 'createDownload', [], {
    budget: 130000,
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('GET', '/downloads/file', 'public', 'getDownload', ['code'], {
    budget: 130000,
    stream: { type: 'application/zip', otherTypes: ['application/jsonl'] },
  }),
  atFarm('GET', '/saves', 'read', 'getSaves', []),
  atFarm('POST', '/saves', 'admin', 'uploadSave', ['save', 'dryRun'], {
    budget: 1800000,
    upload: { type: 'application/zip', maxBytes: 268435456 },
  }),
  atFarm('POST', '/saves/choose', 'admin', 'chooseSave', ['name', 'hostTo'], {
    budget: 130000,
    body: { type: 'application/json', isOptional: true, maxBytes: 16384 },
  }),
  atFarm('POST', '/saves/new', 'admin', 'startNewFarm', [], {
    budget: 130000,
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('POST', '/saves/expect', 'admin', 'expectSave', ['name']),
  atFarm('GET', '/allowlist', 'admin', 'getAllowlist', []),
  atFarm('PUT', '/allowlist', 'admin', 'setAllowlist', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('GET', '/host', 'read', 'getHost', []),
  atFarm('POST', '/host/start', 'control', 'startGame', [], {
    body: { type: 'application/json', isOptional: true, maxBytes: 16384 },
  }),
  atFarm('POST', '/host/stop', 'control', 'stopGame', [], {
    body: { type: 'application/json', isOptional: true, maxBytes: 16384 },
  }),
  atFarm('POST', '/host/restart', 'control', 'restartGame', [], {
    body: { type: 'application/json', isOptional: true, maxBytes: 16384 },
  }),
  atFarm('GET', '/host/operations', 'read', 'getHostOperations', []),
  atFarm('DELETE', '/host/operations', 'control', 'cancelHostOperation', ['id']),
  atFarm('GET', '/host/log', 'admin', 'getHostLog', ['lines']),
  atFarm('POST', '/host/console', 'admin', 'typeAtConsole', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('GET', '/schedules', 'read', 'getSchedules', []),
  atFarm('POST', '/schedules', 'admin', 'createSchedule', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('PATCH', '/schedules', 'admin', 'changeSchedule', ['id'], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('DELETE', '/schedules', 'admin', 'deleteSchedule', ['id']),
  atFarm('POST', '/schedules/run', 'admin', 'runSchedule', ['id'], { budget: 132000 }),
  atFarm('GET', '/mods', 'read', 'getMods', []),
  atFarm('POST', '/mods', 'admin', 'installMods', [], {
    budget: 1800000,
    upload: { type: 'application/zip', maxBytes: 268435456 },
  }),
  atFarm('POST', '/mods/enable', 'admin', 'enableMod', ['id'], { budget: 190000 }),
  atFarm('POST', '/mods/disable', 'admin', 'disableMod', ['id', 'force'], { budget: 190000 }),
  atFarm('DELETE', '/mods', 'admin', 'deleteMod', ['id', 'force'], { budget: 190000 }),
  atFarm('PATCH', '/mods', 'admin', 'changeMod', ['id'], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('GET', '/mods/pack', 'read', 'getModsPack', [], {
    budget: 130000,
    stream: { type: 'application/zip' },
  }),
  atFarm('GET', '/mods/pack-links', 'admin', 'getPackLinks', []),
  atFarm('POST', '/mods/pack-links', 'admin', 'createPackLink', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('DELETE', '/mods/pack-links', 'admin', 'revokePackLink', ['id']),
  atFarm('GET', '/mods/shared-pack', 'public', 'getSharedModsPack', ['link'], {
    budget: 130000,
    stream: { type: 'application/zip' },
  }),
  atFarm('GET', '/mods/updates', 'read', 'getModUpdates', [], { budget: 30000 }),
  atFarm('GET', '/webhooks', 'admin', 'getWebhooks', []),
  atFarm('POST', '/webhooks', 'admin', 'createWebhook', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('DELETE', '/webhooks', 'admin', 'deleteWebhook', ['id']),
  atFarm('POST', '/webhooks/test', 'admin', 'testWebhook', ['id']),
  atFarm('GET', '/webhooks/deliveries', 'admin', 'getWebhookDeliveries', ['id', 'before', 'limit']),
  atFarm('POST', '/webhooks/replay', 'admin', 'replayDelivery', ['deliveryId']),
  atFarm('POST', '/discord/codes', 'admin', 'makeDiscordCode', []),
  atFarm('GET', '/discord/servers', 'admin', 'getDiscordServers', []),
  atFarm('PATCH', '/discord/servers', 'admin', 'setDiscordRoles', [], {
    body: { type: 'application/json', maxBytes: 16384 },
  }),
  atFarm('DELETE', '/discord/servers', 'admin', 'unbindDiscordServer', ['id']),
]
