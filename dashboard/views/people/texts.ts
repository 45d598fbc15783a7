/** The texts of the view of the people. */
import { counted } from '../../texts/counted.ts'
import { spoken } from '../../texts/texts.ts'

const count = counted('en')

const en = {
  free: (n: number, shown: string) => count(n, `${shown} cabin free`, `${shown} cabins free`),
  online: 'Online',
  offline: 'Offline',
  noFarmhand: 'no farmhand',
  neverPlayed: 'No visits recorded.',
  actions: (name: string) => `Actions for ${name}`,
  makeAdmin: 'Make admin',
  makeAdminHint: (name: string) =>
    `${name} can then use admin commands in the game’s chat. This cannot be undone here.`,
  isAdmin: (name: string) => `${name} is an admin now.`,
  remove: 'Delete',
  removeTitle: 'Delete a farmhand',
  removeHint:
    'This deletes the farmhand with everything it carries and frees its cabin. The game saves the change when the day ends. This cannot be undone.',
  typeName: 'Type the name to delete it',
  notWhileOnline: 'Not while the player is online',
  nobodyYet: 'No players yet.',
  lastSeen: (when: string) => `Last online ${when}`,
  visits: (n: number, shown: string) => count(n, `${shown} visit`, `${shown} visits`),
  visit: (times: string, duration: string) => `${times} (${duration})`,
  visitNow: (from: string, duration: string) => `since ${from} (${duration})`,
  when: 'When',
  reading: 'Reading…',
  onlyNewest: 'History has older visits.',
  rebind: 'Change account',
  rebindHint: (name: string) =>
    `${name} will belong to the account that you enter, and only that account can play the farmhand. Use this when a player joins through the other platform, Steam or GOG, and is refused.`,
  identity: 'Account id, digits only',
  identityHint: 'farmgate’s log shows it in the line of the refused join.',
  isRebound: (name: string, identity: string) => `${name} belongs to the account ${identity} now.`,
  cannotRebind: 'Use “farmhand rebind” in the console of the game server.',
  allowlist: 'Allowlist',
  everyone: 'The list is empty: no joiner is reported.',
  onlyListed: 'Anyone else who joins is reported in the chat and by webhooks.',
  cannotRefuse: 'The game’s API cannot refuse players. To keep strangers out, set a join password.',
  platform: 'Platform',
  note: 'Note',
  list: 'Add to the list',
  listAll: 'Add all known accounts',
  unlist: 'Remove',
  unlistName: (name: string) => `Remove ${name}`,
}

const zh: typeof en = {
  free: (_n, shown) => `${shown}间空闲小屋`,
  online: '在线',
  offline: '离线',
  noFarmhand: '没有农场帮手',
  neverPlayed: '没有在线记录。',
  actions: (name) => `对 ${name} 的操作`,
  makeAdmin: '设为管理员',
  makeAdminHint: (name) => `${name} 将可以在游戏聊天中使用管理员命令。此处无法撤销。`,
  isAdmin: (name) => `${name} 已是管理员。`,
  remove: '删除',
  removeTitle: '删除农场帮手',
  removeHint: '农场帮手及其携带的所有物品都会被删除，小屋随之空出。当天结束存档后生效，无法撤销。',
  typeName: '输入名字以删除',
  notWhileOnline: '玩家在线时不能删除',
  nobodyYet: '还没有玩家记录。',
  lastSeen: (when) => `上次在线：${when}`,
  visits: (_n, shown) => `${shown}次在线`,
  visit: (times, duration) => `${times}（${duration}）`,
  visitNow: (from, duration) => `${from}至今（${duration}）`,
  when: '在线时间',
  reading: '正在读取…',
  onlyNewest: '更早的记录见“历史记录”。',
  rebind: '更换账号',
  rebindHint: (name) =>
    `${name} 将绑定到您输入的账号，之后只有该账号可以使用此农场帮手。玩家改用另一平台（Steam 或 GOG）加入而被拒绝时使用。`,
  identity: '账号 ID，仅数字',
  identityHint: '见 farmgate 日志中拒绝加入的那一行。',
  isRebound: (name, identity) => `${name} 已绑定到账号 ${identity}。`,
  cannotRebind: '请在游戏服务器的控制台使用“farmhand rebind”。',
  allowlist: '白名单',
  everyone: '白名单为空：不会提示任何加入者。',
  onlyListed: '名单之外的玩家加入时，会在聊天和 webhook 中提示。',
  cannotRefuse: '游戏的 API 无法拒绝玩家。要阻止陌生人，请设置加入密码。',
  platform: '平台',
  note: '备注',
  list: '加入名单',
  listAll: '加入所有已知账号',
  unlist: '移除',
  unlistName: (name) => `移除 ${name}`,
}

/** Names that no language translates. */
export const platforms = { steam: 'Steam', galaxy: 'GOG' } as const

export const peopleTexts = spoken({ en, zh })
