/** What the doctor says of a game that does not play the expected farm. */
import { expect, test } from 'vitest'
import { findings, metricsFindings } from '../../client/findings.ts'

test('a game that does not play the expected farm is broken, and one that does is not mentioned', () => {
  expect(metricsFindings('farmgate_wrong_farm{farm="Clover"} 1\n')).toEqual([{ found: 'wrong_farm' }])
  expect(findings.wrong_farm).toBe('broken')
  expect(metricsFindings('farmgate_wrong_farm{farm="Clover"} 0\n')).toEqual([])
})
