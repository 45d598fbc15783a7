/** The words of the view of the people. */
import { counted } from '../../words/counted.ts'
import { spoken } from '../../words/words.ts'

const count = counted('en')

const en = {
  farmhands: 'Farmhands',
  free: (n: number, shown: string) => count(n, { one: `${shown} cabin free`, other: `${shown} cabins free` }),
  noFarmhands: 'Nobody has a farmhand yet.',
  online: 'On the farm now',
  offline: 'Not here',
  makeAdmin: 'Make admin',
  makeAdminHint: (name: string) =>
    `${name} may then use the commands of an admin in the game’s chat. It cannot be taken back here.`,
  isAdmin: (name: string) => `${name} is an admin now.`,
  remove: 'Delete',
  removeTitle: 'Delete a farmhand',
  removeHint:
    'The farmhand, with everything it carries, is deleted, and its cabin is free again. It is saved when the day ends, and cannot be taken back.',
  typeName: 'Type the name to delete it',
  notWhileOnline: 'Not while the player is on the farm',
  everybody: 'Who has played',
  nobodyYet: 'Nobody has played yet.',
  lastSeen: (when: string) => `Last here ${when}`,
  visits: (n: number, shown: string) => count(n, { one: `${shown} visit`, other: `${shown} visits` }),
  visit: (times: string, duration: string) => `${times} (${duration})`,
  visitNow: (from: string, duration: string) => `since ${from} (${duration})`,
  when: 'When',
  reading: 'Reading…',
  onlyNewest: 'Older visits stand under History.',
  rebind: 'Change account',
  rebindHint: (name: string) =>
    `${name} then belongs to the account that you name, and only it can play this farmhand. It is the cure when somebody comes back through another door, Steam or GOG, and is refused.`,
  identity: 'Id of the account, digits only',
  identityHint: 'The log of farmgate has it, in the line of the join that was refused.',
  isRebound: (name: string, identity: string) => `${name} belongs to the account ${identity} now.`,
  cannotRebind: 'In the console of the game server “farmhand rebind” does the same.',
}

const zh: typeof en = {
  farmhands: '农场帮手',
  free: (_n, shown) => `${shown} 间空小屋`,
  noFarmhands: '还没有人拥有农场帮手。',
  online: '现在在线',
  offline: '不在线',
  makeAdmin: '设为管理员',
  makeAdminHint: (name) => `${name} 将可以在游戏聊天中使用管理员命令。此处无法撤销。`,
  isAdmin: (name) => `${name} 现在是管理员。`,
  remove: '删除',
  removeTitle: '删除农场帮手',
  removeHint: '农场帮手及其携带的一切都会被删除，小屋重新空出。当天结束时保存，无法撤销。',
  typeName: '输入名字以删除',
  notWhileOnline: '玩家在线时不能删除',
  everybody: '玩过的人',
  nobodyYet: '还没有人玩过。',
  lastSeen: (when) => `上次在线 ${when}`,
  visits: (_n, shown) => `来过 ${shown} 次`,
  visit: (times, duration) => `${times}（${duration}）`,
  visitNow: (from, duration) => `自 ${from} 起（${duration}）`,
  when: '何时在线',
  reading: '正在读取…',
  onlyNewest: '更早的记录见“历史”。',
  rebind: '更换账号',
  rebindHint: (name) =>
    `${name} 将属于您指定的账号，只有该账号可以使用此农场帮手。有人改用另一种方式（Steam 或 GOG）加入而被拒绝时，可以这样解决。`,
  identity: '账号 ID，仅数字',
  identityHint: '在 farmgate 的日志中，被拒绝加入的那一行可以找到。',
  isRebound: (name, identity) => `${name} 现在属于账号 ${identity}。`,
  cannotRebind: '在游戏服务器的控制台中，“farmhand rebind”可以做到。',
}

export const peopleWords = spoken({ en, zh })
