/** How long the history is kept, also while the disk cannot be used. */
import { expect, test } from 'vitest'
import { aKeeper, newPath, startedAt } from './a-keeper.ts'

const day = 86_400_000
const hour = 3_600_000
const abby = { playerId: 6_208_260_877_024_290_921n, name: 'Abby' }

function filled(
  path: string,
  days: { readonly audit: number; readonly history: number; readonly chat: number },
) {
  const kept = aKeeper(path, { days })
  const { calls } = kept
  for (let age = 0; age < 5; age += 1) {
    const at = startedAt - age * day - 20 * hour
    const session = { ...abby, id: at * 1000, joinedAt: at, seenAt: at + 60_000, played: 60_000 }
    calls.sessionBegan(session)
    calls.sessionEnded(session, 'left')
    calls.sampled({ at, players: 1 })
    calls.dayBegan({ beganAt: at, day: 28 - age, season: 'spring', year: 1 })
    calls.chatLine(
      {
        seq: 100 - age,
        text: `{"payload":{"seq":${100 - age},"playerName":"","message":"","timestamp":""}}`,
      },
      at,
    )
  }
  const counts = async () => ({
    sessions: (await calls.sessions({ limit: 100 })).sessions.length,
    samples: (await calls.samples({ from: startedAt - 9 * day, to: startedAt + day, step: 86_400 })).samples
      .length,
    days: (await calls.days({ limit: 100 })).days.length,
    chat: (await calls.chat({ limit: 100 })).lines.length,
  })
  return { ...kept, counts }
}

test('sessions, samples and days older than HISTORY_DAYS are removed, chat lines older than CHAT_DAYS', async () => {
  const { keeper, counts, becomeSteady } = filled(newPath(), { audit: 90, history: 3, chat: 2 })
  becomeSteady()
  expect(await counts()).toEqual({ sessions: 3, samples: 3, days: 3, chat: 2 })
  keeper.close()
})

test('0 keeps nothing', async () => {
  const kept = filled(newPath(), { audit: 0, history: 0, chat: 0 })
  kept.pass(120)
  expect(await kept.counts()).toEqual({ sessions: 0, samples: 0, days: 0, chat: 0 })
  expect(await kept.calls.playersSeen()).toEqual({ players: [] })
  kept.keeper.close()
})

test('player totals are computed from the kept sessions', async () => {
  const { keeper, calls, becomeSteady } = filled(newPath(), { audit: 90, history: 3, chat: 2 })
  expect((await calls.playersSeen()).players).toMatchObject([{ minutesPlayed: 5, sessions: 5 }])
  becomeSteady()
  expect((await calls.playersSeen()).players).toMatchObject([
    { minutesPlayed: 3, sessions: 3, firstSeen: new Date(startedAt - 2 * day - 20 * hour).toISOString() },
  ])
  keeper.close()
})

test('the number of the next chat line is never removed', async () => {
  const kept = filled(newPath(), { audit: 0, history: 0, chat: 0 })
  await kept.calls.numberChatFrom(101)
  kept.pass(10)
  expect(await kept.calls.keptChat(10)).toEqual({ next: 101, lines: [] })
  kept.keeper.close()
})
