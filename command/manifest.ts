/** Writes `dist/package.json`: what the compiled programs read of package.json, without what only its root may have. */
import { writeFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }

const { version, type, optionalDependencies } = manifest
writeFileSync(
  new URL('../dist/package.json', import.meta.url),
  `${JSON.stringify({ version, type, optionalDependencies }, null, 2)}\n`,
)
