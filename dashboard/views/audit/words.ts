import { spoken } from '../../words/words.ts'

/** The changes that can be requested of a farm, by the `action` of a row (docs/records.md). */
const actionsEn = {
  announce: 'Announcement',
  bindDiscordServer: 'Discord server added',
  changeSettings: 'Settings changed',
  chat_send: 'Line said in the chat',
  createFarm: 'Farm made at the edge',
  createKey: 'Key made',
  createNewGame: 'New world made',
  createWebhook: 'Webhook made',
  deleteBackup: 'Backup deleted',
  deleteFarm: 'Farm deleted at the edge',
  deleteFarmhand: 'Farmhand deleted',
  deleteWebhook: 'Webhook deleted',
  grantAdmin: 'Player made an admin',
  makeBackup: 'Backup made',
  makeDiscordCode: 'Code for a Discord server made',
  rateLimited: 'Too many changes refused',
  rebindFarmhand: 'Farmhand given to another account',
  reloadWorld: 'World loaded again',
  replaceFarmKeys: 'Keys of the farm replaced at the edge',
  replayDelivery: 'Message of a webhook sent again',
  restoreBackup: 'Backup restored',
  revokeKey: 'Key revoked',
  setDiscordRoles: 'Rights of Discord roles set',
  unbindDiscordServer: 'Discord server removed',
  setClockSpeed: 'Speed of the clock set',
  setLoginTimeout: 'Time to log in set',
  setRendering: 'Display of the server set',
  setTime: 'Time of day set',
  testWebhook: 'Webhook tested',
  wrongKey: 'Wrong keys refused',
}

const actionsZh: typeof actionsEn = {
  announce: '公告',
  bindDiscordServer: '添加 Discord 服务器',
  changeSettings: '更改设置',
  chat_send: '发送聊天消息',
  createFarm: '在边缘创建农场',
  createKey: '创建密钥',
  createNewGame: '创建新世界',
  createWebhook: '创建通知',
  deleteBackup: '删除备份',
  deleteFarm: '在边缘删除农场',
  deleteFarmhand: '删除农场帮手',
  deleteWebhook: '删除通知',
  grantAdmin: '设为管理员',
  makeBackup: '创建备份',
  makeDiscordCode: '创建 Discord 服务器的绑定码',
  rateLimited: '拒绝过多的更改',
  rebindFarmhand: '将农场帮手转给其他账号',
  reloadWorld: '重新载入世界',
  replaceFarmKeys: '在边缘更换农场密钥',
  replayDelivery: '重新发送通知',
  restoreBackup: '恢复备份',
  revokeKey: '吊销密钥',
  setDiscordRoles: '设置 Discord 身份组的权限',
  unbindDiscordServer: '移除 Discord 服务器',
  setClockSpeed: '设置时钟速度',
  setLoginTimeout: '设置登录时限',
  setRendering: '设置服务器画面',
  setTime: '设置游戏时间',
  testWebhook: '测试通知',
  wrongKey: '拒绝错误的密钥',
}

const actions = spoken({ en: actionsEn, zh: actionsZh })

type ActionName = keyof typeof actions.value
export const actionNames = Object.keys(actions.value) as readonly ActionName[]

const isActionName = (action: string): action is ActionName => Object.hasOwn(actions.value, action)
/** The words for an action; one of a newer server, which this page does not know, is shown by its name. */
export const actionWords = (action: string): string => (isActionName(action) ? actions.value[action] : action)

const en = {
  what: 'What',
  who: 'Who',
  everything: 'Everything',
  everybody: 'Every key',
  none: 'Nothing of this kind was recorded.',
  older: 'Show older entries',
  showNewer: 'Show newer entries',
  download: 'Download',
  downloading: 'Downloading…',
  downloadHint: 'All entries of this choice, each a line of JSON.',
  noKey: 'without a key',
  when: 'When',
  from: 'From',
  operation: 'Operation',
  status: 'HTTP status',
  request: 'Request',
  outcomes: { done: 'Done', refused: 'Refused', failed: 'Failed', unknown: 'Unknown' },
  doors: { here: 'farm’s own address', edge: 'edge', command: 'command line' },
}

const zh: typeof en = {
  what: '内容',
  who: '密钥',
  everything: '全部内容',
  everybody: '全部密钥',
  none: '没有此类记录。',
  older: '显示更早的记录',
  showNewer: '显示新的记录',
  download: '下载',
  downloading: '正在下载…',
  downloadHint: '符合所选条件的全部记录，每行一条 JSON。',
  noKey: '无密钥',
  when: '时间',
  from: '来源',
  operation: '操作',
  status: 'HTTP 状态',
  request: '请求',
  outcomes: { done: '完成', refused: '已拒绝', failed: '失败', unknown: '未知' },
  doors: { here: '农场自身的地址', edge: '边缘', command: '命令行' },
}

export const auditWords = spoken({ en: en, zh: zh })
