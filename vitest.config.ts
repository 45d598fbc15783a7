import { defineConfig } from 'vitest/config'

/** One project per room of the house, so that `npx vitest --project ticket` runs one of them alone. */
export default defineConfig({
  test: {
    projects: ['handlers', 'runtime', 'ticket', 'project', 'edge'].map((name) => ({
      test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout: 30_000, hookTimeout: 30_000 },
    })),
  },
})
