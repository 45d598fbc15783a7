/** The history (docs/keys-and-records.md): sessions, samples, days and chat. */
import { beforeAll, describe, expect, test } from 'vitest'
import { chatMessage } from '../../../handlers/chat/messages.ts'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const noon = Date.parse('2026-11-20T12:00:00.000Z')
const minute = 60_000
const iso = (time: number) => new Date(time).toISOString()
const abby = { playerId: 6_208_260_877_024_290_921n, name: 'Abby' }
const sam = { playerId: -7n, name: 'Sam' }

/** Ten consecutive sessions of ten minutes, of two players in turn; the last one is unfinished. */
function playTenSessions({ records: { later } }: ServerUnderTest): void {
  for (let at = 0; at < 10; at += 1) {
    const joinedAt = noon + at * 10 * minute
    const session = {
      ...(at % 2 === 0 ? abby : sam),
      id: joinedAt * 1000,
      joinedAt,
      seenAt: joinedAt + minute,
      played: 0,
    }
    later.sessionBegan({ ...session, joinPath: 'relay' })
    if (at < 9)
      later.sessionEnded({ ...session, seenAt: joinedAt + 10 * minute, played: 10 * minute }, 'left')
  }
}

interface Session {
  readonly joinedAt: string
  readonly name: string
}

export function historyContract({ start }: RuntimeUnderTest): void {
  describe('history of a new farm', () => {
    const server = sharedServer(start)

    test('a farm without history answers empty lists', async () => {
      for (const [path, empty] of [
        ['/history/sessions', { sessions: [] }],
        ['/history/players', { players: [] }],
        ['/history/samples', { step: 120, samples: [] }],
        ['/history/days', { days: [] }],
        ['/history/chat', { lines: [] }],
      ] as const) {
        const reply = await askWithKey(server(), 'GET', path)
        expect([path, reply.status, reply.json]).toEqual([path, 200, empty])
      }
    })
  })

  describe('history', () => {
    const server = sharedServer(start)
    beforeAll(() => playTenSessions(server()))
    const sessions = async (query: string) => {
      const { status, json } = await askWithKey(server(), 'GET', `/history/sessions${query}`)
      expect(status).toBe(200)
      return json as { readonly sessions: readonly Session[]; readonly next?: string }
    }
    const minutesOf = (page: { readonly sessions: readonly Session[] }) =>
      page.sessions.map(({ joinedAt }) => (Date.parse(joinedAt) - noon) / minute)

    test('/history/sessions lists who played when, newest first, with the text of each id', async () => {
      const { sessions: all } = await sessions('')
      expect(all).toHaveLength(10)
      expect(all.slice(0, 2)).toEqual([
        {
          ...sam,
          playerId: -7,
          playerIdText: '-7',
          joinedAt: iso(noon + 90 * minute),
          joinPath: 'relay',
        },
        {
          ...abby,
          playerIdText: String(abby.playerId),
          joinedAt: iso(noon + 80 * minute),
          leftAt: iso(noon + 90 * minute),
          joinPath: 'relay',
          ended: 'left',
        },
      ])
    })

    test('from and to choose the sessions that overlap the time between them', async () => {
      const at = (minutes: number) => encodeURIComponent(iso(noon + minutes * minute))
      expect(minutesOf(await sessions(`?from=${at(25)}&to=${at(45)}`))).toEqual([40, 30, 20])
      expect(minutesOf(await sessions(`?from=${at(85)}`))).toEqual([90, 80])
      expect(minutesOf(await sessions(`?to=${at(9)}`))).toEqual([0])
      expect(minutesOf(await sessions(`?from=${at(500)}`))).toEqual([90])
    })

    test('playerId chooses one player, with every digit of the id', async () => {
      expect(minutesOf(await sessions(`?playerId=${abby.playerId}`))).toEqual([80, 60, 40, 20, 0])
      expect(minutesOf(await sessions('?playerId=6208260877024290920'))).toEqual([])
    })

    test('pages are as long as limit says, and next leads to the one after; the last has none', async () => {
      const seen: number[] = []
      let next: string | undefined
      let pages = 0
      do {
        const page = await sessions(`?limit=4${next === undefined ? '' : `&before=${next}`}`)
        seen.push(...minutesOf(page))
        next = page.next
        pages += 1
      } while (next !== undefined)
      expect(pages).toBe(3)
      expect(seen).toEqual([90, 80, 70, 60, 50, 40, 30, 20, 10, 0])
    })

    test('/history/players has first and last seen, minutes played and sessions of each person', async () => {
      const { json } = await askWithKey(server(), 'GET', '/history/players')
      expect(json).toEqual({
        players: [
          {
            ...sam,
            playerId: -7,
            playerIdText: '-7',
            firstSeen: iso(noon + 10 * minute),
            lastSeen: iso(noon + 91 * minute),
            minutesPlayed: 40,
            sessions: 5,
          },
          {
            ...abby,
            playerIdText: String(abby.playerId),
            firstSeen: iso(noon),
            lastSeen: iso(noon + 90 * minute),
            minutesPlayed: 50,
            sessions: 5,
          },
        ],
      })
    })

    test('/history/samples answers mean and maximum of each step, at most 1,000 of them; holes are left out', async () => {
      const { later } = server().records
      for (const at of [0, 1, 2, 9, 10, 25])
        later.sampled({ at: noon + at * minute, players: at, tickMs: 1.5 })
      const between = `from=${iso(noon)}&to=${iso(noon + 60 * minute)}`
      const { json } = await askWithKey(server(), 'GET', `/history/samples?${between}&step=600`)
      expect(json).toEqual({
        step: 600,
        samples: [
          { at: iso(noon), players: { mean: 3, max: 9 }, tickMs: { mean: 1.5, max: 1.5 } },
          { at: iso(noon + 10 * minute), players: { mean: 10, max: 10 }, tickMs: { mean: 1.5, max: 1.5 } },
          { at: iso(noon + 20 * minute), players: { mean: 25, max: 25 }, tickMs: { mean: 1.5, max: 1.5 } },
        ],
      })
      const year = `from=${iso(noon - 365 * 1440 * minute)}&to=${iso(noon + 60 * minute)}`
      const whole = await askWithKey(server(), 'GET', `/history/samples?${year}`)
      expect(whole.json).toMatchObject({ step: 32_400, samples: [{ players: { max: 25 } }] })
      const tooFine = await askWithKey(server(), 'GET', `/history/samples?${year}&step=600`)
      expectProblem(tooFine, 400, 'invalid_parameter', { parameter: 'step' })
    })

    test('/history/days has the real time of each game day and its players', async () => {
      const { later } = server().records
      later.dayBegan({ beganAt: noon, day: 27, season: 'spring', year: 1 })
      later.dayPlayers(noon, [abby])
      later.dayEnded(noon, noon + 14 * minute)
      later.dayBegan({ beganAt: noon + 14 * minute, day: 28, season: 'spring', year: 1 })
      const { json } = await askWithKey(server(), 'GET', '/history/days?limit=1')
      expect(json).toEqual({
        days: [{ day: 28, season: 'spring', year: 1, beganAt: iso(noon + 14 * minute), players: [] }],
        next: String(noon + 14 * minute),
      })
      const { json: older } = await askWithKey(server(), 'GET', `/history/days?before=${noon + 14 * minute}`)
      expect(older).toMatchObject({
        days: [{ day: 27, endedAt: iso(noon + 14 * minute), players: [{ name: 'Abby' }] }],
      })
    })

    test('/history/chat has the lines with their seq, newest first', async () => {
      const { later } = server().records
      const line = (seq: number) => ({
        playerName: 'Abby',
        message: `line ${seq}`,
        timestamp: iso(noon + seq),
      })
      for (const seq of [1, 2, 3]) later.chatLine({ seq, text: chatMessage(line(seq), seq) }, noon + seq)
      const { json } = await askWithKey(server(), 'GET', '/history/chat?limit=2')
      expect(json).toEqual({ lines: [3, 2].map((seq) => ({ ...line(seq), seq })), next: '2' })
      const { json: older } = await askWithKey(server(), 'GET', '/history/chat?before=2')
      expect(older).toMatchObject({ lines: [{ seq: 1 }] })
    })
  })
}
