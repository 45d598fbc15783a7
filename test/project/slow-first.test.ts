import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { slow } from '../slow-first.ts'

test('the slow test files that start first exist', () => {
  expect(slow.filter((file) => !existsSync(file))).toEqual([])
})
