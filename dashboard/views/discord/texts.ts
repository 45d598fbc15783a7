import { counted } from '../../texts/counted.ts'
import { spoken } from '../../texts/texts.ts'

const count = counted('en')

const en = {
  title: 'Discord',
  hint: 'Members of a Discord server can view and control the farm with commands such as /farm players and /farm announce.',
  notSetUp:
    'farmgate refuses commands: DISCORD_PUBLIC_KEY is not set. /help/notifications#discord-commands describes the setup.',
  none: 'No Discord servers yet.',
  how: 'How to link a Discord server',
  steps: [
    'Once: create a Discord application as /help/notifications#discord-commands describes. farmgate needs its DISCORD_PUBLIC_KEY.',
    'Create a code. It works once, within 15 minutes.',
    'A member with the permission Manage Server enters the line in Discord.',
    'The Discord server appears here. Choose the scopes of its roles.',
  ],
  make: 'Create a code',
  toType: (until: string) => `Enter this in Discord before ${until}:`,
  bound: 'The Discord server is linked.',
  server: (id: string) => `Server ${id}`,
  since: (when: string) => `linked ${when}`,
  mayDoMore: (n: number, shown: string) =>
    n === 0
      ? 'all members: read'
      : count(n, `${shown} role with more scopes`, `${shown} roles with more scopes`),
  rolesHint:
    'All members have the scope read; these roles have more. To find a role’s id, turn on Settings, Advanced, Developer Mode in Discord, then choose Copy Role ID in the role’s menu.',
  role: (id: string) => `Role ${id}`,
  scopes: { chat: ['chat', '/farm announce'], control: ['control', '/farm time, /farm backup'] },
  newRole: 'Role id',
  add: 'Add',
  save: 'Save the roles',
  saved: 'Roles saved.',
  remove: 'Remove…',
  removeTitle: 'Remove a Discord server',
  removeHint: 'Its members can no longer use the farm. A new code links it again.',
  removeDo: 'Remove',
}

const zh: typeof en = {
  title: 'Discord',
  hint: 'Discord 服务器的成员可以用 /farm players、/farm announce 等命令查看和控制农场。',
  notSetUp:
    'farmgate 会拒绝命令：未设置 DISCORD_PUBLIC_KEY。设置方法见 /help/notifications#discord-commands。',
  none: '还没有绑定 Discord 服务器。',
  how: '如何绑定 Discord 服务器',
  steps: [
    '只需一次：按 /help/notifications#discord-commands 创建 Discord 应用。farmgate 需要它的 DISCORD_PUBLIC_KEY。',
    '生成绑定码。只能使用一次，15分钟内有效。',
    '由拥有“管理服务器”权限的成员在 Discord 中输入这一行。',
    '该 Discord 服务器会显示在此处，然后为其身份组选择权限。',
  ],
  make: '生成绑定码',
  toType: (until) => `请在${until}之前在 Discord 中输入：`,
  bound: '已绑定 Discord 服务器。',
  server: (id) => `服务器 ${id}`,
  since: (when) => `绑定时间：${when}`,
  mayDoMore: (n, shown) => (n === 0 ? '所有成员可查看' : `${shown}个身份组有更多权限`),
  rolesHint:
    '所有成员都有查看权限；以下身份组权限更多。查找身份组 ID：在 Discord 的“设置”“高级”中打开“开发者模式”，然后在身份组的菜单中选择“复制身份组 ID”。',
  role: (id) => `身份组 ${id}`,
  scopes: {
    chat: ['聊天（chat）', '/farm announce'],
    control: ['控制（control）', '/farm time、/farm backup'],
  },
  newRole: '身份组 ID',
  add: '添加',
  save: '保存身份组',
  saved: '身份组已保存。',
  remove: '移除…',
  removeTitle: '移除 Discord 服务器',
  removeHint: '其成员将无法再使用此农场。用新的绑定码可以重新绑定。',
  removeDo: '移除',
}

export const discordTexts = spoken({ en, zh })
