import { defineConfig } from 'vitest/config'

const rooms = ['handlers', 'runtime', 'ticket', 'project']
const timeouts = { testTimeout: 30_000, hookTimeout: 30_000 }

/** One project per room of the house, so that `npx vitest --project ticket` runs one of them alone. */
export default defineConfig({
  test: {
    projects: [
      ...rooms.map((name) => ({
        test: { name, include: [`test/${name}/**/*.test.ts`], ...timeouts },
      })),
      {
        test: {
          name: 'edge',
          include: ['test/edge/*.test.ts'],
          globalSetup: 'test/edge/bundle.ts',
          ...timeouts,
        },
      },
    ],
  },
})
