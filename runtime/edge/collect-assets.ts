/** Copies the files of the reference viewer to where the Worker's assets are; wrangler runs it before every build. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { viewerAssets } from '../documents/pages.ts'

const target = new URL('../../.wrangler/assets/docs/', import.meta.url)
mkdirSync(target, { recursive: true })
for (const name of Object.keys(viewerAssets))
  copyFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)), new URL(name, target))
