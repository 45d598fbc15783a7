/** An environment and the files that it names, read as the process would read them. */
import { expect } from 'vitest'
import { type Config, readConfig, type Surroundings } from '../../../runtime/node/config.ts'

export const key = 'a key of more than sixteen'.replaceAll(' ', '-')
export const proposed = 'cHJvcG9zZWQgcHJvcG9zZWQgcHJvcG9zZWQgMTIzNDU='
type Files = Readonly<Record<string, string>>

const read = (env: Surroundings['env'], files: Files = {}, isTerminal = false) =>
  readConfig({
    env,
    readFile: (path) => {
      const content = files[path]
      if (content === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' })
      return content
    },
    isTerminal,
    newKey: () => proposed,
  })
export const config = (env: Surroundings['env'], files?: Files, isTerminal?: boolean): Config => {
  const reading = read({ API_KEY: key, ...env }, files, isTerminal)
  if ('problems' in reading) return expect.fail(JSON.stringify(reading.problems))
  return reading.config
}
export const problems = (env: Surroundings['env'], files?: Files) => {
  const reading = read({ API_KEY: key, ...env }, files)
  return 'problems' in reading ? reading.problems : []
}
export const refused = (variable: string, value: string, more: Surroundings['env'] = {}) =>
  expect(problems({ ...more, [variable]: value })).toEqual([
    { variable, problem: expect.stringMatching(/use|may|must|is/) },
  ])
