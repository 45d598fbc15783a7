/** The simulation as `npm run simulate` runs it, each time in its own process: it replaces the clocks of a whole process. */
import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { inherited } from '../inherited.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))
const actors = ['client', 'edge', 'farm', 'game', 'holder', 'link', 'operator']

async function simulated(...args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: inherited,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const printed = await buffer(child.stdout)
  return { code: await ended, printed }
}

test('100 seeds keep every promise', { timeout: 1_200_000 }, async () => {
  const { code, printed } = await simulated('--seeds', '100')
  expect(printed.toString()).toBe('100 seeds, 0 failed\n')
  expect(code).toBe(0)
})

test('two runs of one seed are the same to the byte, and show what each actor does in more than an hour', async () => {
  const [one, other] = await Promise.all([simulated('--seed', '7'), simulated('--seed', '7')])
  expect(one.printed.equals(other.printed)).toBe(true)
  const lines = one.printed.toString().trimEnd().split('\n')
  expect(lines.pop()).toBe('1 seeds, 0 failed')
  const told = lines.map((line) => /^(\d+) (\w+) ./.exec(line) ?? [])
  expect([...new Set(told.map(([, , actor]) => actor))].sort()).toEqual(actors)
  expect(Number(told.at(-1)?.[1])).toBeGreaterThan(3_600_000)
})

describe('wrong usage exits with 2', () => {
  test.each([
    [[]],
    [['--seeds']],
    [['--seeds', '0']],
    [['--seed', 'x']],
    [['--seed', '1', '--seeds', '2']],
    [['7']],
  ])('%j', async (args) => {
    const { code, printed } = await simulated(...args)
    expect([code, printed.toString()]).toEqual([2, ''])
  })
})
