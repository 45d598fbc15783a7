import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Prints the bytes that the heap has taken from the system, full of what was needed once and when that is returned. */
const program = `
import { getHeapStatistics } from 'node:v8'
const { returnStartMemory } = await import(process.argv[1])
const size = () => getHeapStatistics().total_physical_size
let needed = Array.from({ length: 200_000 }, (_, index) => ({ index }))
const full = size()
needed = undefined
returnStartMemory(0)
setTimeout(() => console.log(JSON.stringify({ full, after: size() })), 1)
`

test('memory that only the start needed returns to the system', () => {
  const file = fileURLToPath(new URL('../../lib/start-memory.ts', import.meta.url))
  const args = ['--input-type=module', '-e', program, file]
  const { full, after } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  expect(after).toBeLessThan(full / 2)
})
