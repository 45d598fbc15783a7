/** The `.env` that `farmgate init` has made in a folder. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const textOf = (cwd: string) => readFileSync(join(cwd, '.env'), 'utf8')

/** Its variables. */
export const valuesOf = (cwd: string) =>
  Object.fromEntries(
    [...textOf(cwd).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
