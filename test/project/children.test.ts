/** Every program that the product starts, and the environment that it gets. */
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readText } from '../compose.ts'

const rooms = '{lib,handlers,services,bridges,runtime,own-edge,ticket,cli,client,dashboard}/**/*.{ts,tsx,cjs}'

/** The text of each call that starts a program. */
const starts = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![.\w])(?:spawn|execFile|fork|exec)(?:Sync)?\)?\(/g)].flatMap(
    ({ index, 0: call }) => {
      let open = 1
      let end = index + call.length
      for (; open > 0 && end < text.length; end += 1) {
        if (text[end] === '(') open += 1
        if (text[end] === ')') open -= 1
      }
      const whole = text.slice(index, end)
      return whole.includes(')(') || !whole.endsWith('()') ? [whole] : []
    },
  )

test('every program that farmgate starts gets the environment of childEnvironment, except another Node for the same program', () => {
  const programs = globSync(rooms).filter((path) => readText(path).includes("'node:child_process'"))
  const drivers = ['services/host/command-driver.ts', 'services/host/systemd-driver.ts']
  const others = [
    'cli/demo/farm.ts',
    'cli/doctor/published-ports.ts',
    'cli/npm-package.ts',
    'lib/file-lock.ts',
    'own-edge/build.ts',
    'own-edge/dev.ts',
    'own-edge/generate-types.ts',
    'own-edge/instance.ts',
    'own-edge/serve.ts',
  ]
  expect(programs.sort()).toEqual(
    [...drivers, ...others, 'own-edge/keep-process.ts', 'runtime/launch.cjs'].sort(),
  )
  for (const path of others) {
    const calls = starts(readText(path))
    expect(calls).not.toEqual([])
    expect(calls.filter((call) => !call.includes('env: childEnvironment('))).toEqual([])
  }
  // Those of a driver get what its maker gives it.
  for (const path of drivers)
    expect(starts(readText(path)).filter((call) => !/\b(env|environment|options)\b/.test(call))).toEqual([])
  expect(readText('runtime/node/own-actions.ts')).toContain('env: childEnvironment(process.env)')
  // It starts nothing itself.
  expect(readText('own-edge/keep-process.ts')).toContain(
    "import type { ChildProcess } from 'node:child_process'",
  )
})
