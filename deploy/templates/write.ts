/**
 * `npm run templates`: writes all templates from the one description. `npm run templates -- <images.txt> <folder>` writes
 * those of a release, with the digests of its images, into another folder.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { templates } from './templates.ts'

const [images, folder = fileURLToPath(new URL('.', import.meta.url))] = process.argv.slice(2)
for (const [path, content] of templates(images === undefined ? undefined : readFileSync(images, 'utf8'))) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}
