import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { slow } from '../slow-first.ts'

test('the slow test files that start first exist', () => {
  expect(slow.filter((file) => !existsSync(file))).toEqual([])
})

test('no helper registers a hook when it is loaded, because test files that share a process load it once', () => {
  const helpers = globSync('test/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const hook = /^(before|after|around)(Each|All)\(/m
  expect(helpers.length).toBeGreaterThan(100)
  expect(helpers.filter((file) => hook.test(readFileSync(file, 'utf8')))).toEqual([])
})
