/** The words of the view of the controls. */
import { spoken } from '../../words/words.ts'

const en = {
  set: 'Set',
  busy: 'One moment…',
  time: 'Time of day',
  timeNow: (now: string) => `It is ${now}.`,
  timeWill: (now: string, next: string) => `It is ${now}. The clock will jump to ${next} for all players.`,
  timeEnds: (now: string) =>
    `It is ${now}. The day will end at once: everybody passes out, and the game saves.`,
  endOfDay: (time: string) => `${time}: ends the day`,
  timeIs: (time: string) => `It is ${time} now.`,
  speed: 'Speed of the clock',
  speedHint: 'How fast a day passes for all players. The game does not tell how fast it passes now.',
  speedWill: (factor: string) => `A day will pass ${factor} × as fast as in the game, for all players.`,
  times: (factor: string) => `${factor} ×`,
  speedIs: (factor: string) => `The clock runs ${factor} × as fast as in the game.`,
  rendering: 'Display of the server',
  renderingHint: 'Players notice nothing of it.',
  renderingWill: (n: string) =>
    `The server will draw its own picture ${n} times a second, which takes processor time. Players notice nothing of it.`,
  renderingWillStop:
    'The server will stop drawing its own picture, which saves processor time. Players notice nothing of it.',
  choose: 'Choose…',
  off: 'Off',
  fps: (n: string) => `${n} pictures a second`,
  renderingOff: 'The display is off.',
  renderingIs: (n: string) => `The server draws ${n} pictures a second.`,
  picture: 'Picture of the game',
  pictureHint: 'What the server’s own display shows. It needs the display to be on.',
  take: 'Take a picture',
  pictureOf: 'The display of the game server',
  noPicture: (reason: string) => `There is no picture: ${reason}`,
}

const zh: typeof en = {
  set: '设置',
  busy: '请稍候…',
  time: '游戏时间',
  timeNow: (now) => `现在是 ${now}。`,
  timeWill: (now, next) => `现在是 ${now}。时钟将为所有玩家跳到 ${next}。`,
  timeEnds: (now) => `现在是 ${now}。这一天将立即结束：所有人昏倒，游戏保存。`,
  endOfDay: (time) => `${time}：结束这一天`,
  timeIs: (time) => `现在是 ${time}。`,
  speed: '时钟速度',
  speedHint: '所有玩家的一天过得多快。游戏不提供当前的速度。',
  speedWill: (factor) => `所有玩家的一天将以游戏的 ${factor} 倍速度度过。`,
  times: (factor) => `${factor} 倍`,
  speedIs: (factor) => `时钟以游戏的 ${factor} 倍速度运行。`,
  rendering: '服务器画面',
  renderingHint: '玩家不受影响。',
  renderingWill: (n) => `服务器将每秒绘制自身画面 ${n} 次，会占用处理器。玩家不受影响。`,
  renderingWillStop: '服务器将停止绘制自身画面，可节省处理器。玩家不受影响。',
  choose: '请选择…',
  off: '关闭',
  fps: (n) => `每秒 ${n} 帧`,
  renderingOff: '画面已关闭。',
  renderingIs: (n) => `服务器每秒绘制 ${n} 帧。`,
  picture: '游戏画面',
  pictureHint: '服务器自身显示的画面，需要开启画面。',
  take: '截图',
  pictureOf: '游戏服务器的画面',
  noPicture: (reason) => `没有画面：${reason}`,
}

export const controlsWords = spoken({ en, zh })
