/**
 * Completes the npm package in `dist/`: writes its package.json, and copies README, licence and the viewer's files. The
 * package.json of the repository has more dependencies than the files of the npm package import.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }
import { viewerAssets } from '../runtime/documents/pages.ts'

const root = new URL('../', import.meta.url)
const target = new URL('dist/', root)

/**
 * Dependencies that the npm package does not have: those of the ticket service, which is not in it, and the viewer behind
 * `/docs`. The few files of the viewer that are used are copied, because `swagger-ui-dist` takes 12 MB and depends on a
 * program that reports each installation to its maker.
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
  bin: { farmgate: 'cli/farmgate.cjs' },
  exports: {
    '.': { types: '../command/client/index.d.ts', default: '../command/client/index.js' },
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
