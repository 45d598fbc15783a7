import { counted } from '../../words/counted.ts'
import { spoken } from '../../words/words.ts'

const count = counted('en')

const en = {
  title: 'Discord',
  hint: 'Members of a Discord server look at the farm and steer it with /farm players, /farm announce and the like.',
  notSetUp:
    'Commands are refused: farmgate has no DISCORD_PUBLIC_KEY. docs/discord.md tells how to set it up.',
  none: 'No Discord server uses this farm yet.',
  how: 'How a Discord server is bound',
  steps: [
    'Once: set up an application of Discord, as docs/discord.md tells. farmgate needs its DISCORD_PUBLIC_KEY.',
    'Make a code. It works once, within a quarter of an hour.',
    'A member who may manage the Discord server types the line there.',
    'The Discord server appears here. Say which of its roles may do more than look.',
  ],
  make: 'Make a code',
  toType: (until: string) => `To be typed in Discord, until ${until}:`,
  bound: 'The Discord server is bound.',
  server: (id: string) => `Server ${id}`,
  since: (when: string) => `bound ${when}`,
  mayDoMore: (n: number, shown: string) =>
    n === 0
      ? 'all may look'
      : count(n, { one: `${shown} role may do more`, other: `${shown} roles may do more` }),
  rolesHint:
    'All members may look; these roles may do more. The id of a role: in Discord, Settings, Advanced, Developer Mode; then Copy Role ID in the menu of the role.',
  role: (id: string) => `Role ${id}`,
  scopes: { chat: ['Talk', '/farm announce'], control: ['Steer', '/farm time, /farm backup'] },
  newRole: 'Id of another role',
  add: 'Add',
  save: 'Save the roles',
  saved: 'The roles are saved.',
  remove: 'Remove…',
  removeTitle: 'Remove a Discord server',
  removeHint: 'Its members can do nothing on the farm any more. A new code binds it again.',
  removeDo: 'Remove',
}

const zh: typeof en = {
  title: 'Discord',
  hint: 'Discord 服务器的成员可以用 /farm players、/farm announce 等命令查看和控制农场。',
  notSetUp: '命令会被拒绝：farmgate 没有 DISCORD_PUBLIC_KEY。设置方法见 docs/discord.md。',
  none: '还没有 Discord 服务器使用此农场。',
  how: '如何绑定 Discord 服务器',
  steps: [
    '只需一次：按 docs/discord.md 设置 Discord 应用。farmgate 需要它的 DISCORD_PUBLIC_KEY。',
    '创建绑定码。只能使用一次，一刻钟内有效。',
    '由有权管理该 Discord 服务器的成员在那里输入这一行。',
    '该 Discord 服务器会显示在此处。然后指定哪些身份组除查看外还能做更多。',
  ],
  make: '创建绑定码',
  toType: (until) => `请在 ${until} 之前在 Discord 中输入：`,
  bound: '已绑定 Discord 服务器。',
  server: (id) => `服务器 ${id}`,
  since: (when) => `绑定于 ${when}`,
  mayDoMore: (n, shown) => (n === 0 ? '所有人可查看' : `${shown} 个身份组可做更多`),
  rolesHint:
    '所有成员都可以查看；以下身份组可以做更多。身份组 ID：在 Discord 的“设置”“高级”中打开“开发者模式”，然后在身份组的菜单中选择“复制身份组 ID”。',
  role: (id) => `身份组 ${id}`,
  scopes: { chat: ['聊天', '/farm announce'], control: ['控制', '/farm time、/farm backup'] },
  newRole: '其他身份组的 ID',
  add: '添加',
  save: '保存身份组',
  saved: '身份组已保存。',
  remove: '移除…',
  removeTitle: '移除 Discord 服务器',
  removeHint: '其成员将不能再对农场做任何事。用新的绑定码可以再次绑定。',
  removeDo: '移除',
}

export const discordWords = spoken({ en, zh })
