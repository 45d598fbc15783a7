/** Makes the bundle of `npm run edge:serve` from that of a deployment. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import * as v from 'valibot'
import { unstable_readConfig as readWrangler } from 'wrangler'
import { bundled, type Settings, settings, workerModule } from './bundle.ts'

const root = join(import.meta.dirname, '..')

/** @param folder that has `worker.js`, as wrangler writes it; the assets of wrangler.toml must be there */
export async function completeBundle(folder: string): Promise<void> {
  const config = v.parse(deployment, readWrangler({ config: join(root, 'wrangler.toml') }))
  await build({
    entryPoints: [join(root, 'own-edge/worker/own-machine.ts')],
    outfile: join(folder, bundled.entry),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    external: ['node:*', 'cloudflare:*'],
    plugins: [
      {
        name: 'worker',
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/edge\/worker\.ts$/ }, () => ({ path: workerModule, external: true })),
      },
    ],
    logLevel: 'warning',
  })
  cpSync(join(root, config.assets.directory), join(folder, bundled.assets), { recursive: true })
  writeFileSync(join(folder, bundled.settings), JSON.stringify(settingsOf(config)))
}

/** The part of wrangler.toml that workerd needs too. */
const deployment = v.object({
  compatibility_date: v.string(),
  compatibility_flags: v.array(v.string()),
  durable_objects: v.object({ bindings: v.array(v.object({ name: v.string(), class_name: v.string() })) }),
  ratelimits: v.array(v.object({ name: v.string(), simple: v.unknown() })),
  assets: v.object({ directory: v.string(), binding: v.string(), html_handling: v.string() }),
  vars: v.record(v.string(), v.pipe(v.unknown(), v.transform(String))),
})

const settingsOf = (config: v.InferOutput<typeof deployment>): Settings =>
  v.parse(settings, {
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    objects: config.durable_objects.bindings.map(({ name, class_name }) => ({
      binding: name,
      className: class_name,
    })),
    limits: Object.fromEntries(config.ratelimits.map(({ name, simple }) => [name, simple])),
    assets: { binding: config.assets.binding, htmlHandling: config.assets.html_handling },
    vars: config.vars,
  })
