/** The texts of the farm's cards that load later. */
import { counted } from '../../texts/counted.ts'
import { spoken } from '../../texts/texts.ts'

const count = counted('en')

const en = {
  recent: 'Recent events',
  nothingYet: 'No events recorded yet.',
  joined: 'joined',
  left: 'left',
  stopped: 'The game stopped or did not respond',
  dayBegan: (date: string) => `${date} began`,
  backedUp: (date: string) => `Backup made: ${date}`,
  unverified: (date: string) => `Backup not verified: ${date}`,
  playersOfDay: 'Players, last 24 hours',
  playersWere: (mean: string, most: string) =>
    `Players in the last 24 hours: ${mean} on average, at most ${most}`,
  noSamples: 'No samples in the last 24 hours',
  now: 'just now',
  state: 'State of the farm',
  lastBackup: 'Last backup',
  ago: (duration: string) => `${duration} ago`,
  noBackup: 'No backup yet',
  noSaves: 'No backups: farmgate cannot see the saves',
  troubles: (n: number, shown: string, parts: string) =>
    count(n, `${shown} problem: ${parts}`, `${shown} problems: ${parts}`),
  comma: ', ',
  chat: 'Latest messages',
  allMessages: 'All messages',
  allCharts: 'All charts',
  check: 'Health check',
  outage: 'What is wrong',
  since: (time: string) => `since ${time}`,
  log: 'Log of the game',
}

const zh: typeof en = {
  recent: '最近动态',
  nothingYet: '还没有记录。',
  joined: '加入了农场',
  left: '离开了农场',
  stopped: '游戏停止或无响应',
  dayBegan: (date) => `新的一天：${date}`,
  backedUp: (date) => `已备份：${date}`,
  unverified: (date) => `备份未校验：${date}`,
  playersOfDay: '最近24小时在线人数',
  playersWere: (mean, most) => `最近24小时在线人数：平均${mean}，最多${most}`,
  noSamples: '最近24小时没有记录',
  now: '刚刚',
  state: '农场状态',
  lastBackup: '最近一次备份',
  ago: (duration) => `${duration}前`,
  noBackup: '还没有备份',
  noSaves: '无法备份：farmgate 找不到存档',
  troubles: (_n, shown, parts) => `${shown}个问题：${parts}`,
  comma: '、',
  chat: '最新消息',
  allMessages: '全部消息',
  allCharts: '全部图表',
  check: '健康检查',
  outage: '出现的问题',
  since: (time) => `自${time}起`,
  log: '游戏日志',
}

export const overviewTexts = spoken({ en, zh })
