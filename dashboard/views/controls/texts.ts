/** The texts of the view of the controls. */
import { spoken } from '../../texts/texts.ts'

const en = {
  set: 'Set',
  busy: 'One moment…',
  time: 'Time of day',
  timeNow: (now: string) => `It is ${now}.`,
  timeWill: (now: string, next: string) => `It is ${now}. The clock will jump to ${next} for all players.`,
  timeEnds: (now: string) =>
    `It is ${now}. The day will end at once: all players pass out, and the game saves.`,
  endOfDay: (time: string) => `${time}: ends the day`,
  timeIs: (time: string) => `It is ${time} now.`,
  speed: 'Clock speed',
  speedHint: 'How fast time passes for all players. The game does not report the current speed.',
  speedWill: (factor: string) => `Time will pass at ${factor} × the normal speed for all players.`,
  times: (factor: string) => `${factor} ×`,
  speedIs: (factor: string) => `Time passes at ${factor} × the normal speed.`,
  rendering: 'Server rendering',
  renderingHint: 'Players do not notice this.',
  renderingWill: (n: string) =>
    `The server will render ${n} frames per second, which takes processor time. Players do not notice this.`,
  renderingWillStop:
    'The server will stop rendering, which saves processor time. Players do not notice this.',
  choose: 'Choose…',
  off: 'Off',
  fps: (n: string) => `${n} frames per second`,
  renderingOff: 'Rendering is off.',
  renderingIs: (n: string) => `The server renders ${n} frames per second.`,
  picture: 'Screenshot',
  pictureHint: 'A picture of the game on the server. Rendering must be on.',
  take: 'Take a screenshot',
  pictureOf: 'Screenshot of the game server',
  noPicture: (reason: string) => `No screenshot: ${reason}`,
}

const zh: typeof en = {
  set: '应用',
  busy: '请稍候…',
  time: '游戏时间',
  timeNow: (now) => `现在是${now}。`,
  timeWill: (now, next) => `现在是${now}。所有玩家的时间将跳到${next}。`,
  timeEnds: (now) => `现在是${now}。当天将立即结束：所有玩家昏倒，游戏存档。`,
  endOfDay: (time) => `${time}：结束当天`,
  timeIs: (time) => `现在是${time}。`,
  speed: '时间流速',
  speedHint: '对所有玩家生效。游戏不提供当前流速。',
  speedWill: (factor) => `时间将以正常速度的${factor}倍流逝，对所有玩家生效。`,
  times: (factor) => `${factor}倍`,
  speedIs: (factor) => `时间流速为正常的${factor}倍。`,
  rendering: '服务器渲染',
  renderingHint: '不影响玩家。',
  renderingWill: (n) => `服务器将以每秒${n}帧渲染画面，会占用 CPU。不影响玩家。`,
  renderingWillStop: '服务器将停止渲染画面，可节省 CPU。不影响玩家。',
  choose: '请选择…',
  off: '关闭',
  fps: (n) => `每秒${n}帧`,
  renderingOff: '渲染已关闭。',
  renderingIs: (n) => `服务器每秒渲染${n}帧。`,
  picture: '游戏截图',
  pictureHint: '服务器上的游戏画面，需要开启渲染。',
  take: '截图',
  pictureOf: '游戏服务器的画面',
  noPicture: (reason) => `无法截图：${reason}`,
}

export const controlsTexts = spoken({ en, zh })
