/**
 * Writes the Worker's assets: the built dashboard, the documents of the API, and the viewer of the reference. wrangler
 * runs it before every build.
 */
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generated } from '../documents/generated.ts'
import { generatedNames } from '../documents/generated-name.ts'
import { viewerAssets } from '../documents/pages.ts'

const root = join(import.meta.dirname, '../..')
const assets = join(root, '.wrangler/assets')
const target = join(assets, 'docs')
mkdirSync(target, { recursive: true })
for (const name of Object.keys(viewerAssets))
  copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), join(target, name))
for (const name of generatedNames) writeFileSync(join(target, name), generated(name))
// Names of files have a hash, so those of older builds would remain.
rmSync(join(assets, 'dashboard'), { recursive: true, force: true })
cpSync(join(root, 'dist/dashboard'), join(assets, 'dashboard'), { recursive: true })
