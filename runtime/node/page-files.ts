import { readFile } from 'node:fs/promises'
import type { PageFiles } from '../documents/pages.ts'

/** False in the npm package, where this file is compiled to `.js`. */
const isCheckout = import.meta.url.endsWith('.ts')
const dashboardFolder = new URL(isCheckout ? '../../dist/dashboard/' : '../../dashboard/', import.meta.url)

/**
 * Reads the files of the viewer at `/docs` from its package, and those of the dashboard from its build. The npm
 * package has copies of both (cli/npm-package.ts).
 */
export const pageFiles: PageFiles = {
  viewer: (name) =>
    contentOf(
      isCheckout
        ? new URL(import.meta.resolve(`swagger-ui-dist/${name}`))
        : new URL(`../../viewer/${name}`, import.meta.url),
    ),
  dashboard: (name) => contentOf(new URL(name, dashboardFolder)).catch(() => undefined),
  // Loaded when one is first requested.
  generated: async (name) => (await import('../documents/generated.ts')).generated(name),
}

const contentOf = async (file: URL) => new Uint8Array(await readFile(file))
