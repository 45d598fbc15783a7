/**
 * Leaves only the named packages in package.json, so that an image installs what its program imports and nothing else:
 *
 *     node keep-packages.cjs <package ...> && npm install --ignore-scripts
 *
 * `npm install` then takes the versions and checksums of package-lock.json and removes what is no longer needed. `npm
 * ci` would refuse, because the two files no longer name the same packages.
 */
'use strict'

const { readFileSync, writeFileSync } = require('node:fs')

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const { overrides } = manifest
// Packages of one platform each, which a checkout gets with wrangler.
const platforms = Object.keys(overrides).filter((name) => name.startsWith('@cloudflare/workerd-'))
const optional = {
  ...manifest.optionalDependencies,
  ...Object.fromEntries(platforms.map((name) => [name, overrides[name]])),
}
const known = { ...manifest.dependencies, ...manifest.devDependencies, ...optional }
const names = process.argv.slice(2)
const missing = names.filter((name) => !(name in known))
if (missing.length > 0) throw new Error(`package.json does not have ${missing.join(', ')}`)
delete manifest.devDependencies
const kept = (isOptional) =>
  Object.fromEntries(names.flatMap((name) => (name in optional === isOptional ? [[name, known[name]]] : [])))
// Without the Node for npm scripts of a checkout: an image has its own.
manifest.optionalDependencies = kept(true)
manifest.dependencies = kept(false)
writeFileSync('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`)
