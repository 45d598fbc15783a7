/** Copies the files of the reference viewer to where the Worker's assets are; wrangler runs it before every build. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { viewerAssets } from '../documents/pages.ts'

const target = join(import.meta.dirname, '../../.wrangler/assets/docs')
mkdirSync(target, { recursive: true })
for (const name of Object.keys(viewerAssets))
  copyFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), join(target, name))
