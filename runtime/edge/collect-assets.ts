/**
 * Copies the built dashboard and the files of the reference viewer to the Worker's assets; wrangler runs it before
 * every build.
 */
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { viewerAssets } from '../documents/pages.ts'

const root = join(import.meta.dirname, '../..')
const assets = join(root, '.wrangler/assets')
const target = join(assets, 'docs')
mkdirSync(target, { recursive: true })
for (const name of Object.keys(viewerAssets))
  copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), join(target, name))
// Names of files have a hash, so those of older builds would remain.
rmSync(join(assets, 'dashboard'), { recursive: true, force: true })
cpSync(join(root, 'dist/dashboard'), join(assets, 'dashboard'), { recursive: true })
