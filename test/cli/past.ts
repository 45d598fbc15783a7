/** A farm with a history. */
import { chatMessage } from '../../handlers/chat/messages.ts'
import type { ServerUnderTest } from '../contract/server-under-test.ts'

const minute = 60_000

/**
 * Two sessions, the newer one unfinished; two days, the newer one too; samples of the last ten minutes; two chat lines.
 */
export function playPast({ records: { later } }: ServerUnderTest, name: string): void {
  const now = Date.now()
  const player = { playerId: 6_208_260_877_024_290_921n, name }
  for (const [ago, isOver] of [
    [60, true],
    [30, false],
  ] as const) {
    const joinedAt = now - ago * minute
    const session = { ...player, id: joinedAt * 1000, joinedAt, seenAt: joinedAt + minute, played: minute }
    later.sessionBegan({ ...session, joinPath: 'relay' })
    if (isOver)
      later.sessionEnded({ ...session, seenAt: joinedAt + 10 * minute, played: 10 * minute }, 'left')
  }
  later.dayBegan({ beganAt: now - 40 * minute, day: 27, season: 'spring', year: 1 })
  later.dayPlayers(now - 40 * minute, [player])
  later.dayEnded(now - 40 * minute, now - 26 * minute)
  later.dayBegan({ beganAt: now - 26 * minute, day: 28, season: 'spring', year: 1 })
  for (let ago = 10; ago > 0; ago -= 1)
    later.sampled({ at: now - ago * minute, players: 2, ticksPerSecond: 60, tickMs: 1.54, memoryMb: 812 })
  for (const [index, message] of ['the first line', 'the second line'].entries()) {
    const line = { playerName: name, message, timestamp: new Date(now + index).toISOString() }
    later.chatLine({ seq: now + index, text: chatMessage(line, now + index) }, now + index)
  }
}
