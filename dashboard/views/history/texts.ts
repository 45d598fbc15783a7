/** The texts of the view of the history. */
import { counted } from '../../texts/counted.ts'
import { spoken } from '../../texts/texts.ts'

const count = counted('en')

const en = {
  span: 'Period',
  spans: { hour: 'An hour', day: 'A day', month: 'A month' },
  busy: 'Reading the history…',
  charts: {
    players: ['Players', ''],
    ticksPerSecond: ['Ticks per second', ''],
    tickMs: ['Tick time', 'ms'],
    memoryMb: ['Memory', 'MB'],
    answerMs: ['Response time', 'ms'],
  },
  meanAndMost: (mean: string, most: string) => `${mean} on average, at most ${most}`,
  wholeTime: 'whole period',
  summary: (title: string, mean: string, most: string) => `${title}: on average ${mean}, at most ${most}`,
  notReported: 'The game server does not report this.',
  nothing: 'No samples in this period. farmgate records one per minute.',
  asTable: 'Samples as a table',
  time: 'Time',
  step: (duration: string) => `Each row is the mean of ${duration}, with the maximum in brackets.`,
  who: 'Who was online',
  nobody: 'No players in this period.',
  days: 'Days',
  day: (season: string, day: string) => `${season} ${day}`,
  stillHere: 'online',
  sessionsAsTable: (n: number, shown: string) =>
    count(n, `${shown} session as a table`, `${shown} sessions as a table`),
  daysAsTable: (n: number, shown: string) =>
    count(n, `${shown} game day as a table`, `${shown} game days as a table`),
  onlyNewest: (shown: string) => `Only the newest ${shown} are shown.`,
  onlySome: (shown: string) => `The timeline shows ${shown} people; the table has everyone.`,
  columns: {
    player: 'Player',
    joined: 'Joined',
    left: 'Left',
    ended: 'Reason',
    day: 'Day',
    began: 'Began',
    over: 'Ended',
    players: 'Players',
  },
  ended: {
    left: 'left',
    away: 'the game stopped or did not respond',
    unknown: 'farmgate was not running',
  },
  notKnown: 'unknown',
}

const zh: typeof en = {
  span: '时间范围',
  spans: { hour: '一小时', day: '一天', month: '一个月' },
  busy: '正在读取历史记录…',
  charts: {
    players: ['在线人数', ''],
    ticksPerSecond: ['TPS（每秒刻数）', ''],
    tickMs: ['每刻耗时', 'ms'],
    memoryMb: ['内存', 'MB'],
    answerMs: ['响应时间', 'ms'],
  },
  meanAndMost: (mean, most) => `平均${mean}，最高${most}`,
  wholeTime: '整段时间',
  summary: (title, mean, most) => `${title}：平均${mean}，最高${most}`,
  notReported: '游戏服务器不提供此数据。',
  nothing: '这段时间没有记录。farmgate 每分钟记录一次。',
  asTable: '以表格显示',
  time: '时间',
  step: (duration) => `每行是${duration}的平均值，括号内为最高值。`,
  who: '在线时段',
  nobody: '这段时间没有玩家在线。',
  days: '游戏日',
  day: (season, day) => `${season}${day}日`,
  stillHere: '仍在线',
  sessionsAsTable: (_n, shown) => `以表格显示${shown}次在线`,
  daysAsTable: (_n, shown) => `以表格显示${shown}个游戏日`,
  onlyNewest: (shown) => `只显示最新的${shown}条。`,
  onlySome: (shown) => `图中只显示${shown}人，表格中有全部玩家。`,
  columns: {
    player: '玩家',
    joined: '加入',
    left: '离开',
    ended: '离开原因',
    day: '日期',
    began: '开始',
    over: '结束',
    players: '玩家',
  },
  ended: {
    left: '离开',
    away: '游戏停止或无响应',
    unknown: 'farmgate 没有运行',
  },
  notKnown: '未知',
}

export const historyTexts = spoken({ en, zh })
