/** Ids of players in every answer: int64 numbers, each with a text. */
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../lib/json.ts'
import { awkwardIds } from '../../bridges/contract/expectations.ts'
import { eventually } from '../../wait.ts'
import { askWithKey } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

export function idContract({ start }: RuntimeUnderTest): void {
  describe('player ids', () => {
    const server = sharedServer(start)

    test('every int64 id is a JSON number with every digit, followed by its text for programs whose numbers are doubles', async () => {
      for (const id of awkwardIds) await server().farm.join({ id, name: `P${id}` })
      for (const [path, member] of [
        ['/players', 'id'],
        ['/farmhands', 'id'],
        ['/cabins', 'ownerId'],
        ['/wait/players', 'id'],
        ['/wait/farmhands', 'id'],
        ['/diagnostics/state', 'uniqueMultiplayerId'],
      ] as const)
        await eventually(async () => {
          const { text } = await askWithKey(server(), 'GET', path)
          for (const id of awkwardIds) expect(text).toContain(`"${member}":${id},"${member}Text":"${id}",`)
          expect(() => parseJson(text)).not.toThrow()
          for (const [, number, written] of text.matchAll(/"(?:id|ownerId)":(-?\d+),"\w+":"(-?\d+)"/g))
            expect(written).toBe(number)
          expect(text.match(/"(?:id|ownerId)":/g)?.length).toBe(text.match(/"(?:id|ownerId)Text":/g)?.length)
        })
      expect((await askWithKey(server(), 'GET', '/cabins')).text).toContain(
        '"savedPositionPlayerIds":[],"savedPositionPlayerIdTexts":[]',
      )
    })
  })
}
