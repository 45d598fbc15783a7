import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { chatMessage } from '../../../handlers/chat/messages.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { keptChat } from '../../../services/history/kept-chat.ts'
import { memoryFarm } from '../../records/memory-records.ts'
import { aKeeper, newPath } from '../records/a-keeper.ts'
import { noon } from './a-farm.ts'

const first = noon * 1000
const day = 86_400_000
const mostSafe = Number.MAX_SAFE_INTEGER

/** A farm that is started repeatedly with the same records. */
async function farm() {
  const { records } = await memoryFarm()
  const start = async ({ keep = true, now = noon, own = records as Parameters<typeof keptChat>[1] } = {}) => {
    let emit = (_event: GameEvent) => {}
    const subscribe = (listener: typeof emit) => {
      emit = listener
      return () => {}
    }
    const clock = { now }
    /** Since when the game's chat is connected. */
    const health = { chatOpenSince: undefined as number | undefined }
    const game = {
      subscribe,
      health: () => ({
        gameAvailable: true,
        isFrozen: false,
        tickCount: 1,
        pendingActions: 0,
        ...(health.chatOpenSince !== undefined && { chatOpenSince: health.chatOpenSince }),
      }),
    }
    const chat = await keptChat(game, own, keep, () => clock.now)
    const heard: unknown[][] = []
    chat.hear((event) => {
      if (event.type === 'chat') heard.push([event.seq, event.message])
      if (event.type === 'gap' || event.type === 'missed') heard.push([event.type, event.from, event.to])
    })
    return {
      chat,
      clock,
      health,
      heard,
      /** Players say lines in the game. @returns the numbers of the lines */
      say(...messages: string[]) {
        for (const message of messages)
          emit({ type: 'chat', playerName: 'Abby', message, timestamp: '2026-11-21T12:00:00.000Z' })
        return heard.slice(-messages.length).map(([seq]) => seq)
      },
      /** The messages to a returning client: the number and text of each line, and each gap. */
      missed: (since: number) =>
        chat.lines.missed(since, chat.lines.next).map((text) => {
          const { type, payload } = JSON.parse(text)
          return type === 'chat' ? [payload.seq, payload.message] : [type, payload.from, payload.to]
        }),
    }
  }
  return { records, start }
}

test('each line is delivered with its number and the message for clients', async () => {
  const { start } = await farm()
  const { chat, say } = await start()
  const events: unknown[] = []
  chat.hear((event) => events.push(event))
  say('one')
  expect(events).toEqual([
    expect.objectContaining({
      type: 'chat',
      seq: first,
      text: `{"type":"chat","payload":{"playerName":"Abby","message":"one","timestamp":"2026-11-21T12:00:00.000Z","seq":${first}}}`,
    }),
  ])
})

test.each([
  ['at once', 0],
  ['ten minutes later', 10 * 60_000 - 1],
])(
  'after a clean stop and a start %s numbers continue, and resume returns earlier lines unchanged',
  async (_when, later) => {
    const { start } = await farm()
    const before = await start()
    before.say('one', 'two')
    await before.chat.close()
    const again = await start({ now: noon + later })
    expect(again.say('three')).toEqual([first + 2])
    expect(again.missed(first)).toEqual([
      [first + 1, 'two'],
      [first + 2, 'three'],
    ])
  },
)

describe('numbers never decrease, and those that might have been given out since are reported as a gap', () => {
  const minutes = (count: number) => noon + count * 60_000
  test.each([
    ['after kill -9', false, minutes(1), minutes(1) * 1000],
    ['after kill -9 and a clock that was set back', false, noon - day, first + 1000],
    ['after a stop and a clock that was set back', true, noon - day, first + 1],
    [
      'with records from a copy that was made at a stop more than ten minutes ago',
      true,
      minutes(10),
      minutes(10) * 1000,
    ],
  ])('%s', async (_what, isStopped, now, next) => {
    const { start } = await farm()
    const before = await start()
    before.say('one')
    if (isStopped) await before.chat.close()
    const again = await start({ now })
    again.say('two')
    const gap = next > first + 1 ? [['gap', first + 1, next - 1]] : []
    expect(again.missed(first - 1)).toEqual([[first, 'one'], ...gap, [next, 'two']])
  })

  test('with new records, at a time after the last number', async () => {
    const before = await (await farm()).start()
    const [last = 0] = before.say('one')
    const again = await (await farm()).start({ now: noon + 1 })
    again.say('two')
    expect(again.missed(Number(last))).toEqual([
      ['gap', first + 1, first + 999],
      [first + 1000, 'two'],
    ])
  })
})

test('numbers that the edge has shown are skipped, reserved, and reported as a gap', async () => {
  const { start } = await farm()
  const { chat, heard, say } = await start()
  say('one')
  chat.skipTo(first + 5000)
  chat.skipTo(first + 10)
  say('two')
  expect(heard).toEqual([
    [first, 'one'],
    ['gap', first + 1, first + 4999],
    [first + 5000, 'two'],
  ])
  expect((await start({ now: noon - day })).chat.lines.next).toBeGreaterThan(first + 5000)
})

test('a number of the edge above the clock and a day is not accepted', async () => {
  const { start } = await farm()
  const { chat, heard, say } = await start()
  const most = first + day * 1000
  for (const madeUp of [most + 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]) chat.skipTo(madeUp)
  expect([say('one'), heard]).toEqual([[first], [[first, 'one']]])
  chat.skipTo(most)
  expect(say('two')).toEqual([most])
})

test('a farm whose numbers an edge has ended, with an earlier release, continues from its clock: resume reports a gap, and the history begins with the newest lines', async () => {
  const path = newPath()
  const { calls: before, keeper } = aKeeper(path)
  const text = (message: string, seq: number) =>
    chatMessage({ playerName: 'Abby', message, timestamp: '2026-11-21T12:00:00.000Z' }, seq)
  await before.chatLine({ seq: first - 9, text: text('good', first - 9) }, noon - 3000)
  await before.chatLine({ seq: mostSafe - 1, text: text('made up', mostSafe - 1) }, noon - 2000)
  keeper.close()
  const db = new DatabaseSync(path)
  // The earlier release counted doubles that have no successor.
  const poisoned = BigInt(mostSafe) + 1n
  db.prepare('INSERT INTO chat (seq, at, text) VALUES (?, ?, ?)').run(
    poisoned,
    noon - 1000,
    text('last', mostSafe + 1),
  )
  db.prepare("INSERT INTO numbers VALUES ('nextChatLine', ?), ('chatStoppedAt', ?)").run(
    poisoned + 1000n,
    noon - 500,
  )
  db.close()
  const { calls, keeper: again } = aKeeper(path)
  const { say, missed } = await (await farm()).start({ own: { calls, later: calls } })
  expect(say('new')).toEqual([first])
  expect(missed(first - 9)).toEqual([
    ['gap', first - 8, first - 3],
    [first - 2, 'made up'],
    [first - 1, 'last'],
    [first, 'new'],
  ])
  expect(missed(mostSafe)).toEqual([['gap', null, first]])
  const { lines } = await calls.chat({ limit: 10 })
  expect(lines.map(({ message, seq }) => [message, seq])).toEqual([
    ['new', first],
    ['last', first - 1],
    ['made up', first - 2],
    ['good', first - 9],
  ])
  await expect(calls.numberChatFrom(mostSafe + 1)).rejects.toThrow('cannot be stored')
  again.close()
})

test('numbers are reserved before they are given out, for any number of lines', async () => {
  const { records, start } = await farm()
  const { say } = await start()
  for (let count = 0; count < 25; count += 1) {
    const numbers = say(...Array<string>(100).fill('more'))
    expect((await records.calls.keptChat(1)).next).toBeGreaterThan(Number(numbers.at(-1)))
  }
})

test('with CHAT_KEEP=false no line is written, and the numbers still continue', async () => {
  const { records, start } = await farm()
  const { chat, say } = await start({ keep: false })
  say('secret')
  await chat.close()
  expect((await records.calls.keptChat(10)).lines).toEqual([])
  const again = await start({ keep: false })
  expect(again.say('two')).toEqual([first + 1])
  expect(again.missed(first - 1)).toEqual([
    ['gap', first, first],
    [first + 1, 'two'],
  ])
})

describe('an outage', () => {
  const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString()

  test('of the connection to the chat is reported before the first line after it, from when the chat was last heard', async () => {
    const { start } = await farm()
    const { chat, clock, health, heard, say } = await start()
    health.chatOpenSince = noon
    chat.tick()
    say('one')
    clock.now += 5000
    chat.tick()
    health.chatOpenSince = undefined
    clock.now += 60_000
    chat.tick()
    health.chatOpenSince = clock.now
    say('two')
    chat.tick()
    expect(heard).toEqual([
      [first, 'one'],
      ['missed', at(5), at(65)],
      [first + 1, 'two'],
    ])
  })

  test('of farmgate is reported once the chat is heard again, and each later process still has it', async () => {
    const { start } = await farm()
    const before = await start()
    before.health.chatOpenSince = noon
    before.chat.tick()
    before.say('one')
    await before.chat.close()
    const again = await start({ now: noon + 90_000 })
    again.chat.tick()
    expect(again.heard).toEqual([])
    again.health.chatOpenSince = noon + 90_000
    again.chat.tick()
    expect(again.heard).toEqual([['missed', at(0), at(90)]])
    await again.chat.close()
    const last = await start({ now: noon + 100_000 })
    expect(last.missed(first)).toEqual([['missed', at(0), at(90)]])
    expect(last.missed(first - 1)).toEqual([
      [first, 'one'],
      ['missed', at(0), at(90)],
    ])
  })

  test('is not reported by a farm that has never heard the chat', async () => {
    const { start } = await farm()
    const { chat, health, heard } = await start()
    health.chatOpenSince = noon
    chat.tick()
    expect(heard).toEqual([])
  })

  test('after kill -9 begins at most a minute before it', async () => {
    const { start } = await farm()
    const before = await start()
    before.health.chatOpenSince = noon
    for (let second = 0; second <= 130; second += 1) {
      before.clock.now = noon + second * 1000
      before.chat.tick()
    }
    const again = await start({ now: noon + 200_000 })
    again.health.chatOpenSince = noon + 200_000
    again.chat.tick()
    expect(again.heard).toEqual([['missed', at(120), at(200)]])
  })
})

test('unresponsive records do not stop the chat: each start has greater numbers', async () => {
  const { start } = await farm()
  const fails = () => Promise.reject(new Error('the thread has ended'))
  const own = {
    calls: { boundChat: fails, keptChat: fails, numberChatFrom: fails },
    later: { chatLine: () => undefined, chatOutage: () => undefined, keepNumber: () => undefined },
  }
  const before = await start({ own })
  expect(before.say('one', 'two')).toEqual([first, first + 1])
  await before.chat.close()
  const again = await start({ own, now: noon + 1000 })
  again.say('three')
  expect(again.missed(first + 1)).toEqual([
    ['gap', first + 2, first + 999_999],
    [first + 1_000_000, 'three'],
  ])
})
