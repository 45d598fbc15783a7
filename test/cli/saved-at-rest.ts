import { expect } from 'vitest'
import type { GameDay } from '../../handlers/backup-record.ts'
import { askWithKey } from '../contract/request.ts'
import type { ServerUnderTest } from '../contract/server-under-test.ts'
import { eventually } from '../wait.ts'

/** Every player leaves the farm Junimo, and the game saves its current day. */
export async function savedAtRest(server: ServerUnderTest): Promise<void> {
  await eventually(async () => {
    const { players } = (await askWithKey(server, 'GET', '/players')).json as {
      players: { id: number | bigint }[]
    }
    for (const { id } of players) await server.farm.leave(BigInt(id))
    expect(players).toEqual([])
  })
  const { season, day, year } = (await askWithKey(server, 'GET', '/status')).json as GameDay
  server.saved.save({ farmName: 'Junimo', date: { season, day, year } })
}
