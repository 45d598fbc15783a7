import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'

test('the Worker has no code of the database and its thread, which belong to the farm’s own process', () => {
  const bundle = readFileSync(join(inject('edgeBundle'), 'worker.js'), 'utf8')
  const modules = [...bundle.matchAll(/(?:from|require\(|import\()\s*"(node:[^"]+)"/g)].map(
    ([, name]) => name,
  )
  expect(modules).toContain('node:crypto')
  expect(modules).not.toContain('node:worker_threads')
  expect(bundle.includes('node:sqlite')).toBe(false)
})
