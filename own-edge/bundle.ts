/** What `npm run edge:serve` runs: the Worker that is deployed, its assets, and what wrangler.toml says of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'

/** Names in the folder of a bundle. */
export const bundled = {
  /** `own-edge/worker/own-machine.ts`, which imports the next one. */
  entry: 'own-machine.js',
  worker: 'worker.js',
  assets: 'assets',
  settings: 'settings.json',
} as const

/** The module that the entry imports: `runtime/edge/worker.ts`. */
export const workerModule = './worker.ts'

const limit = v.object({ limit: v.number(), period: v.number() })

/** The part of wrangler.toml that workerd needs. */
export const settings = v.object({
  compatibilityDate: v.string(),
  compatibilityFlags: v.array(v.string()),
  objects: v.array(v.object({ binding: v.string(), className: v.string() })),
  limits: v.record(v.string(), limit),
  assets: v.object({ binding: v.string(), htmlHandling: v.string() }),
  /** `[vars]`. */
  vars: v.record(v.string(), v.string()),
})
export type Settings = v.InferOutput<typeof settings>

/** @throws when the bundle was not built */
export const readSettings = (folder: string): Settings =>
  v.parse(settings, JSON.parse(readFileSync(join(folder, bundled.settings), 'utf8')))
