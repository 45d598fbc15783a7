/** The texts of the view of the cabins. */
import { counted } from '../../texts/counted.ts'
import { spoken } from '../../texts/texts.ts'

const count = counted('en')

const en = {
  summary: (assigned: number, all: string, shown: string) =>
    count(assigned, `${shown} of ${all} cabins has an owner.`, `${shown} of ${all} cabins have an owner.`),
  strategies: {
    CabinStack: 'Cabins are hidden off the map. Each player sees their own at one shared spot.',
    FarmhouseStack: 'Cabins are hidden off the map. Players enter them through the farmhouse.',
    None: 'Cabins stand on the farm, as in the game without a server.',
  },
  migration: (from: string, to: string, placed: string, left: string) =>
    `The cabins are being migrated from ${from} to ${to}. Placed: ${placed}, remaining: ${left}. To finish, run “cabins migrate commit” in the console.`,
  spot: (x: string, y: string) => `Each player sees their own cabin at tile ${x}, ${y}.`,
  spotBlocked: 'Something blocks this tile.',
  farmhouse: (x: string, y: string) =>
    `Players leave their cabins at tile ${x}, ${y}, the door of the farmhouse.`,
  map: 'Map of the farm',
  mapNote: 'Cabin positions are exact; the ground is a sketch.',
  hidden: 'Hidden',
  hiddenNote: 'Off the map. Only the owners see them.',
  none: 'No cabins yet.',
  waiting: 'Waiting for the farm.',
  table: 'All cabins',
  columns: { number: 'No.', owner: 'Owner', place: 'Tile', kind: 'Kind' },
  tile: (x: string, y: string) => `${x}, ${y}`,
  isHidden: 'hidden',
  free: 'Free',
  unnamed: 'Claimed, not named yet',
  isHere: 'online now',
  placed: 'placed with !cabin',
  kinds: {
    Normal: 'Cabin',
    CabinStack: 'Cabin',
    FarmhouseStack: 'Cabin behind the farmhouse',
    SharedLobby: 'Lobby: players wait here until they enter the password',
    IndividualLobby: 'Lobby of one player, who enters the password here',
    Editing: 'Lobby that an admin is furnishing',
  },
  toFree: 'A cabin becomes free when its farmhand is deleted:',
}

const zh: typeof en = {
  summary: (_assigned, all, shown) => `${all}间小屋中有${shown}间有主人。`,
  strategies: {
    CabinStack: '小屋隐藏在地图之外：每位玩家在同一地点看到自己的小屋。',
    FarmhouseStack: '小屋隐藏在地图之外：每位玩家从农舍进入。',
    None: '小屋建在农场上，与普通联机相同。',
  },
  migration: (from, to, placed, left) =>
    `正在将小屋从“${from}”迁移到“${to}”：已放置${placed}间，还剩${left}间。完成后请在控制台运行“cabins migrate commit”。`,
  spot: (x, y) => `每位玩家在坐标（${x}, ${y}）看到自己的小屋。`,
  spotBlocked: '该位置被挡住了。',
  farmhouse: (x, y) => `玩家离开小屋时会来到坐标（${x}, ${y}），即农舍门口。`,
  map: '农场地图',
  mapNote: '小屋位置准确，地面仅为示意。',
  hidden: '隐藏',
  hiddenNote: '在地图之外，只有主人看得到。',
  none: '还没有小屋。',
  waiting: '正在等待农场。',
  table: '全部小屋',
  columns: { number: '编号', owner: '主人', place: '位置', kind: '类型' },
  tile: (x, y) => `${x}, ${y}`,
  isHidden: '隐藏',
  free: '空闲',
  unnamed: '已认领，尚未取名',
  isHere: '现在在线',
  placed: '用 !cabin 选定',
  kinds: {
    Normal: '小屋',
    CabinStack: '小屋',
    FarmhouseStack: '农舍后的小屋',
    SharedLobby: '大厅：玩家在此等待输入密码',
    IndividualLobby: '单人大厅：玩家在此输入密码',
    Editing: '管理员正在布置的大厅',
  },
  toFree: '删除农场帮手后，其小屋会空出：',
}

export const cabinsTexts = spoken({ en, zh })
