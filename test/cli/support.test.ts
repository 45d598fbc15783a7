/** `farmgate support` with a whole farm. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openedFarm } from '../runtime/node/open-farm.ts'
import { newFolder, run } from './farmgate.ts'

test('farmgate support --output <file> [--names] writes the bundle for asking for help, and replaces no file', async () => {
  const key = 'support-support-support'
  const { url } = await openedFarm({ API_KEY: key })
  const output = join(newFolder(), 'farm.zip')
  const support = (...args: string[]) => run(['support', ...args], { FARMGATE_URL: url, FARMGATE_KEY: key })
  const done = await support('--output', output, '--names')
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toMatch(/farm\.zip \(.+\)\nLook through it/)
  expect(readFileSync(output).indexOf('README.txt')).toBe(30)
  expect(statSync(output).mode & 0o777).toBe(0o600)
  expect(await support('--output', output)).toMatchObject({ code: 1, stdout: '' })
  expect(await support()).toMatchObject({ code: 2, stdout: '' })
})
