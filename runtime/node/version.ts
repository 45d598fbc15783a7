import { readFileSync } from 'node:fs'
import * as v from 'valibot'

const manifest = v.object({ version: v.string() })

/** farmgate's own version, from `package.json`. */
export const { version } = v.parse(
  manifest,
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
)
