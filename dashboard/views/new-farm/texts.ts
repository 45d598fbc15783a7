/** The texts of a new farm. */
import { spoken } from '../../texts/texts.ts'

const en = {
  step: (n: string, of: string) => `Step ${n} of ${of}`,
  next: 'Next',
  back: 'Back',
  force: 'Even if the night hangs or the backup fails',
  lost: (farm: string) => `What was played on ${farm} since the last night is lost.`,
  stays: (farm: string) => `${farm} and its backups stay. “Load…” in the list of saves brings it back.`,
  ofKind: (farm: string, kind: string) => `${farm} (${kind})`,
  creates: (farm: string, day: string) =>
    `The game starts and creates ${farm}. It begins on ${day}, and players can join.`,
  undone: (farm: string) => `If that fails, the game plays ${farm} again.`,
  begin: 'Start the new farm',
  done: (farm: string) => `The game plays ${farm}.`,
}

const zh: typeof en = {
  step: (n, of) => `第${n}步，共${of}步`,
  next: '下一步',
  back: '上一步',
  force: '过夜卡住或备份失败时仍然执行',
  lost: (farm) => `${farm} 上次过夜之后的进度会丢失。`,
  stays: (farm) => `${farm} 及其备份会保留，可在存档列表中用“载入…”恢复。`,
  ofKind: (farm, kind) => `${farm}（${kind}）`,
  creates: (farm, day) => `启动游戏并新建 ${farm}，从${day}开始，玩家即可加入。`,
  undone: (farm) => `如果失败，游戏会重新运行 ${farm}。`,
  begin: '新建农场',
  done: (farm) => `游戏正在运行 ${farm}。`,
}

export const newFarmTexts = spoken({ en, zh })
