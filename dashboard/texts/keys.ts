/** The texts of keys and scopes. */
import { scopeSentences } from '../../handlers/key-holder.ts'
import { spoken } from './texts.ts'

const en = {
  hint: 'Create one key for each person or program, so that you can revoke each separately.',
  none: 'No named keys yet.',
  scopes: {
    read: ['read', scopeSentences.read],
    chat: ['chat', scopeSentences.chat],
    control: ['control', scopeSentences.control],
    admin: ['admin', scopeSentences.admin],
  },
  session: 'session of a person who signed in',
  neverUsed: 'never used',
  madeBy: (name: string) => `made by ${name}`,
  lastUsed: (when: string) => `last used ${when}`,
  until: (when: string) => `until ${when}`,
  revoke: 'Revoke',
  revokeHint: 'Everyone who uses this key is signed out within a second. This cannot be undone.',
  make: 'Create a key',
  name: 'Name of the person or program',
  allows: 'Scopes',
  lasts: 'Valid',
  forEver: 'Until revoked',
  days: (n: string) => `${n} days`,
  shownOnce: 'Copy the key now. It is not shown again.',
}

const zh: typeof en = {
  hint: '为每个人或每个程序单独创建密钥，以便分别吊销。',
  none: '还没有创建密钥。',
  scopes: {
    read: ['查看（read）', '查看玩家、邀请码、聊天、设置、历史、备份、存档、模组、定时任务和游戏状态。'],
    chat: ['聊天（chat）', '接收和发送聊天消息，并向所有玩家发布公告。'],
    control: [
      '控制（control）',
      '启动、停止和重启游戏；更改游戏时间、时间流速、服务器渲染和登录时限；创建备份。',
    ],
    admin: [
      '管理（admin）',
      '以及其他一切：农场帮手、设置、存档、恢复、模组、定时任务、密钥、人员、审计、消息推送和 Discord。',
    ],
  },
  session: '登录会话',
  neverUsed: '从未使用',
  madeBy: (name) => `创建者：${name}`,
  lastUsed: (when) => `上次使用：${when}`,
  until: (when) => `有效期至${when}`,
  revoke: '吊销',
  revokeHint: '使用此密钥的人会在一秒内退出登录，无法撤销。',
  make: '创建密钥',
  name: '使用者或程序的名称',
  allows: '权限',
  lasts: '有效期',
  forEver: '长期有效，直到吊销',
  days: (n) => `${n}天`,
  shownOnce: '请立即复制密钥，之后不再显示。',
}

export const keyTexts = spoken({ en, zh })
