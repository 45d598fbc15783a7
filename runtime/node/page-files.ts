import { readFile } from 'node:fs/promises'
import type { PageFiles } from '../documents/pages.ts'

/** `dist/dashboard/`, seen from this file and from what `npm run build` compiles it to. */
const dashboardFolder = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/dashboard/' : '../../dashboard/',
  import.meta.url,
)

/** Reads the files of the viewer behind `/docs` from its package, and those of the dashboard from where it is built. */
export const pageFiles: PageFiles = {
  viewer: (name) => contentOf(new URL(import.meta.resolve(`swagger-ui-dist/${name}`))),
  dashboard: (name) => contentOf(new URL(name, dashboardFolder)).catch(() => undefined),
}

const contentOf = async (file: URL) => new Uint8Array(await readFile(file))
