/** Removes the headers of the Node that `npm ci` brings: 67 MB, and no package is compiled here. */
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dirname, '../../node_modules')
for (const headers of globSync('node-*/include', { cwd: packages }))
  rmSync(join(packages, headers), { recursive: true })
