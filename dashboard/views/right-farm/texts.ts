/** The texts of a wrong farm, and of loading a save. */
import { spoken } from '../../texts/texts.ts'

const en = {
  alarm: {
    other_farm: (found: string, expected: string) => `The game plays ${found}, not ${expected}.`,
    earlier_day: (found: string, expected: string) =>
      `The game has gone back in time: it plays ${found}, and has saved ${expected} before.`,
    pointer: (_found: string, expected: string) =>
      `The next start of the game would create a new farm instead of ${expected}.`,
  },
  safe: 'No backup of the expected farm is removed until you decide.',
  on: (farm: string, date: string) => `${farm} (${date})`,
  again: (farm: string) => `Load ${farm} again`,
  willChoose: (save: string) =>
    `The game stops playing what it plays now and loads ${save}. What was played since the last night is lost.`,
  willRestart: (date: string) =>
    `The save on the disk is of ${date}. The game is restarted and loads it. What was played since is lost.`,
  willRestore: (date: string) =>
    `farmgate restores the newest backup of this farm, of ${date}. It makes a backup of the current save first.`,
  noHost: 'Restart the game: farmgate cannot do it here, because GAME_HOST is not set.',
  nothing: 'Neither a save nor a backup of this farm is here. Add the save in the Saves view.',
  begun: 'Done. This warning ends when the game plays the farm.',
  right: 'This is right',
  rightTitle: 'The game plays the right farm',
  notSaved: 'The game has not saved this farm yet. Say so after its first night.',
  willExpect: (found: string, expected: string) =>
    `farmgate expects ${found} from now on. Old backups of ${expected} are then removed as usual; its newest one stays.`,
  whoPlayed: (host: string) => `Who played ${host}?`,
  chooseAccount: 'Choose an account',
  otherAccount: 'Another account…',
  accountId: 'Steam64 or GOG id, digits only',
  findId:
    'That person stays a player of the farm. Steam shows the id under Account details; a Steam64 id has 17 digits and begins with 7656.',
  toServer: (host: string) => `No one: the server takes ${host} over`,
  serverTakes: (host: string) => `The server plays ${host} for good. No one can play that farmer again.`,
}

const zh: typeof en = {
  alarm: {
    other_farm: (farm, name) => `游戏正在运行 ${farm}，而不是 ${name}。`,
    earlier_day: (farm, name) => `游戏进度倒退了：正在运行 ${farm}，而之前已存档至 ${name}。`,
    pointer: (_farm, name) => `游戏下次启动时会新建农场，而不是载入 ${name}。`,
  },
  safe: '在您决定之前，不会删除原农场的任何备份。',
  on: (farm, day) => `${farm}（${day}）`,
  again: (farm) => `重新载入 ${farm}`,
  willChoose: (name) => `游戏会离开当前农场并载入 ${name}。上次过夜之后的进度会丢失。`,
  willRestart: (day) => `磁盘上的存档为${day}。游戏会重启并载入该存档，之后的进度会丢失。`,
  willRestore: (day) => `将恢复此农场最新的备份（${day}）。恢复前会先备份当前存档。`,
  noHost: '请自行重启游戏：未设置 GAME_HOST，farmgate 无法重启。',
  nothing: '此处没有该农场的存档或备份。请在存档页面添加存档。',
  begun: '已完成。游戏运行该农场后，此警告会消失。',
  right: '没有问题',
  rightTitle: '当前农场没有问题',
  notSaved: '游戏还没有保存此农场。请在第一次过夜之后确认。',
  willExpect: (farm, name) => `今后以 ${farm} 为准。${name} 的旧备份会照常清理，最新的一份会保留。`,
  whoPlayed: (name) => `${name} 是谁的角色？`,
  chooseAccount: '选择账号',
  otherAccount: '其他账号…',
  accountId: 'Steam 或 GOG 的数字 ID',
  findId: '此人仍是农场的玩家。ID 显示在 Steam 的“账户明细”中；Steam 的 ID 有17位数字，以7656开头。',
  toServer: (name) => `无人：由服务器接管 ${name}`,
  serverTakes: (name) => `服务器将永久扮演 ${name}。任何人都无法再使用该角色。`,
}

export const rightFarmTexts = spoken({ en, zh })
