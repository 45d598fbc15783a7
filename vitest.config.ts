import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './test/slow-first.ts'

const rooms = ['handlers', 'client', 'lib', 'own-edge', 'simulation']
/** Long, because they only end what hangs: a machine that does much else beside the tests takes several times its time. */
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000 }
/** The files of a room share processes: they keep nothing there that another file could find. */
const common = (name: string) => ({ name, isolate: false, ...timeouts })
/** Keys of the Worker in which its own tests run. */
const workerKeys = {
  API_KEY: 'YXBpIGtleSB0aGF0IGlzIDMyIGJ5dGVzIGxvbmc=',
  LINK_KEY: 'bGluayBrZXkgdGhhdCBpcyAzMiBieXRlcyBsb24=',
  FLEET_KEY: 'ZmxlZXQga2V5IHRoYXQgaXMgMzIgYnl0ZXMgbG8=',
  LOG_LEVEL: 'silent',
}

/** Compiled code of all processes that the tests start, kept between runs: it halves what a start costs. */
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

/** Else the plugin below makes every variable of a `.env` in this folder one of the Worker. */
process.env['CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV'] = 'false'

/** One project per room of the house, so that `npm test -- --project ticket` runs one of them alone. */
export default defineConfig({
  test: {
    // Most tests wait for other processes, so six files run at once also on two processors.
    maxWorkers: Math.max(6, availableParallelism() - 1),
    sequence: { sequencer: SlowFirst },
    // Node itself loads the files, as it loads the program: it costs a fraction of what Vite's own loader does.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      ...rooms.map((name) => ({
        test: {
          ...common(name),
          include: [`test/${name}/**/*.test.ts`],
        },
      })),
      ...['ticket', 'project'].map((name) => ({
        test: {
          ...common(name),
          include: [`test/${name}/**/*.test.ts`],
          globalSetup: 'test/build-programs.ts',
        },
      })),
      // These load the dashboard from a server.
      ...['runtime', 'bridges', 'services'].map((name) => ({
        test: {
          ...common(name),
          include: [`test/${name}/**/*.test.ts`],
          globalSetup: ['test/build-programs.ts', 'test/dashboard/build.ts'],
        },
      })),
      {
        test: {
          name: 'dashboard',
          // Each of its processes starts one browser.
          isolate: false,
          include: ['test/dashboard/*.test.ts'],
          globalSetup: ['test/build-programs.ts', 'test/dashboard/build.ts'],
          ...timeouts,
        },
      },
      // These start the Worker in workerd too. `attack` has the lists of hostile input (docs/testing.md).
      ...['edge', 'attack', 'cli', 'package'].map((name) => ({
        test: {
          ...common(name),
          include: [`test/${name}/*.test.ts`],
          globalSetup: ['test/build-programs.ts', 'test/edge/bundle.ts', 'test/edge/shared-edge.ts'],
        },
      })),
      {
        test: {
          name: 'images',
          include: ['test/images/*.test.ts'],
          globalSetup: 'test/images/setup.ts',
          ...timeouts,
        },
      },
      {
        plugins: [
          cloudflareTest({
            // What wrangler bundled: prom-client asks for modules of Node by `require`, which unbundled fails here.
            main: '.wrangler/bundle/worker.js',
            wrangler: { configPath: 'wrangler.toml' },
            miniflare: { bindings: workerKeys },
          }),
        ],
        test: {
          name: 'edge-worker',
          include: ['test/edge/worker/*.test.ts'],
          globalSetup: 'test/edge/bundle.ts',
          // The objects of one file are deleted before the next.
          isolate: false,
          experimental: { viteModuleRunner: true },
          ...timeouts,
        },
      },
    ],
  },
})
