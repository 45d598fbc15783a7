/**
 * Makes `dist/` the package: its package.json, README and licence. The root's own package.json has what the repository
 * needs; whoever installs the package gets no more than what its files import.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }
import { viewerAssets } from '../runtime/documents/pages.ts'

const root = new URL('../', import.meta.url)
const target = new URL('dist/', root)

/**
 * Packages that only the ticket service needs, which is not in the package, and the viewer behind `/docs`: its few files are
 * copied, because it takes 12 MB and brings a program that tells its maker of each installation.
 */
const leftOut = ['@napi-rs/lzma', 'picomatch', 'steam-session', 'steam-user', 'swagger-ui-dist']

const { name, version, description, license, type, engines, dependencies, optionalDependencies } = manifest
const published = {
  name,
  version,
  description,
  license,
  type,
  engines,
  bin: { farmgate: 'command/farmgate.cjs' },
  exports: {
    '.': { types: './client/index.d.ts', default: './client/index.js' },
    './package.json': './package.json',
  },
  dependencies: Object.fromEntries(Object.entries(dependencies).filter(([one]) => !leftOut.includes(one))),
  optionalDependencies,
}
writeFileSync(new URL('package.json', target), `${JSON.stringify(published, null, 2)}\n`)
for (const file of ['README.md', 'LICENSE']) copyFileSync(new URL(file, root), new URL(file, target))
const viewer = new URL('viewer/', target)
mkdirSync(viewer, { recursive: true })
for (const file of [...Object.keys(viewerAssets), 'LICENSE', 'NOTICE'])
  copyFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), new URL(file, viewer))
