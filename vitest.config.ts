import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

const rooms = ['handlers', 'client', 'runtime', 'ticket', 'process', 'project']
/** Long, because they only end what hangs: a machine that does much else beside the tests takes several times its time. */
const timeouts = { testTimeout: 120_000, hookTimeout: 120_000 }
/** Keys of the Worker in which its own tests run. */
const workerKeys = {
  API_KEY: 'YXBpIGtleSB0aGF0IGlzIDMyIGJ5dGVzIGxvbmc=',
  LINK_KEY: 'bGluayBrZXkgdGhhdCBpcyAzMiBieXRlcyBsb24=',
  FLEET_KEY: 'ZmxlZXQga2V5IHRoYXQgaXMgMzIgYnl0ZXMgbG8=',
  LOG_LEVEL: 'silent',
}

/** One project per room of the house, so that `npm test -- --project ticket` runs one of them alone. */
export default defineConfig({
  test: {
    projects: [
      ...rooms.map((name) => ({
        test: { name, include: [`test/${name}/**/*.test.ts`], ...timeouts },
      })),
      // These start the Worker in workerd too. `attack` has the lists of hostile input (docs/testing.md).
      ...['edge', 'attack', 'command'].map((name) => ({
        test: { name, include: [`test/${name}/*.test.ts`], globalSetup: 'test/edge/bundle.ts', ...timeouts },
      })),
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
          ...timeouts,
        },
      },
    ],
  },
})
