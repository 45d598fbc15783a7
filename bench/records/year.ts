/** Fills a database with the history of a farm. Run it in a separate process: it keeps nothing in memory. */
import { chatMessage } from '../../handlers/chat/messages.ts'
import { openDatabase } from '../../services/records/database.ts'
import { migrations } from '../../services/records/migrations.ts'
import { tables } from '../../services/records/tables.ts'

const minute = 60_000
const players = Array.from({ length: 8 }, (_, at) => ({
  playerId: 6_208_260_877_024_290_921n + BigInt(at),
  name: `Player ${at}`,
}))

/** Samples of so many minutes, and two chat lines a minute and one session of an hour every 26 minutes, until `now`. */
export function fill(path: string, minutes: number, now: number): void {
  const db = openDatabase(path, { migrations })
  const { later } = tables(db, () => {})
  const insertPlayed = db.prepare(
    'INSERT INTO sessions (id, playerId, name, joinedAt, seenAt, played, leftAt, ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const insertSample = db.prepare(
    'INSERT INTO samples (at, players, ticksPerSecond, tickMs, memoryMb, answerMs) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const first = Math.floor(now / minute) * minute - minutes * minute
  db.exec('BEGIN')
  let seq = 0
  for (let at = 0; at < minutes; at += 1) {
    const time = first + at * minute
    const values = [at % 8, 60, 2 + (at % 7), 400 + (at % 50), at % 20] as const
    // The summaries are made with the last sample of each ten minutes, as in a real process.
    if (at % 10 === 9)
      later.sampled({
        at: time,
        players: values[0],
        ticksPerSecond: values[1],
        tickMs: values[2],
        memoryMb: values[3],
        answerMs: values[4],
      })
    else insertSample.run(time, ...values)
    for (let line = 0; line < 2; line += 1) {
      seq += 1
      const said = {
        playerName: `Player ${seq % 8}`,
        message: `line ${seq}`,
        timestamp: new Date(time).toISOString(),
      }
      later.chatLine({ seq, text: chatMessage(said, seq) }, time)
    }
    const player = players[at % players.length]
    if (at % 26 === 0 && player !== undefined) {
      const end = time + 60 * minute
      insertPlayed.run(time * 1000, player.playerId, player.name, time, end, 60 * minute, end, 'left')
    }
    if (at % 15 === 0) later.dayBegan({ beganAt: time, day: (at % 28) + 1, season: 'spring', year: 1 })
    if (at % 50_000 === 0) db.exec('COMMIT; BEGIN')
  }
  db.exec('COMMIT')
  for (const { playerId, name } of players) {
    const joinedAt = now
    const id = joinedAt * 1000 + Number(playerId % 8n)
    later.sessionBegan({ id, playerId, name, joinedAt, seenAt: joinedAt, played: 0 })
  }
  db.close()
}

const [path = '', minutes = '0'] = process.argv.slice(2)
fill(path, Number(minutes), Date.now())
