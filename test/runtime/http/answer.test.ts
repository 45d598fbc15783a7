import { expect, test } from 'vitest'
import { stringifyRecord } from '../../../lib/json.ts'
import { resultAnswer } from '../../../runtime/http/answer.ts'

test('a result is encoded once for as long as a bridge answers with the same object', () => {
  const encoded: unknown[] = []
  const toJson = (result: unknown) => {
    encoded.push(result)
    return stringifyRecord(result)
  }
  const players = { players: [{ id: 2n ** 62n, name: 'Abby', isOnline: true }], version: 1 }
  const answer = resultAnswer(players, toJson)
  for (let time = 0; time < 3; time += 1) expect(resultAnswer(players, toJson)).toBe(answer)
  expect(encoded).toEqual([players])
  resultAnswer({ ...players, version: 2 }, toJson)
  expect(encoded).toHaveLength(2)
})

test('a large result has one body in memory for all clients that are receiving it', () => {
  const large = { success: true, base64Png: 'A'.repeat(100_000), width: 1, height: 1 }
  const { body, length } = resultAnswer(large)
  expect(body).toBeInstanceOf(Uint8Array)
  expect(length).toBe(JSON.stringify(large).length)
  expect(resultAnswer(large).body).toBe(body)
})
