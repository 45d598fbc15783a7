/**
 * Builds the dashboard and the help into `dist/dashboard/`. npm runs it after an install; without the development packages it does
 * nothing, and `/` then leads only to the reference page.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '../dist')

try {
  import.meta.resolve('vite')
  await build()
} catch (error) {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  if (!isMissing) throw error
  process.stdout.write('The dashboard is not built: the packages of development are not installed.\n')
}

/** The built files replace the old ones at once, because a server may read them in between. */
async function build() {
  const { build } = await import('vite')
  const { writeHelp } = await import('./help/pages.ts')
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, 'dashboard-'))
  try {
    const outDir = join(folder, 'new')
    await build({
      configFile: false,
      root: import.meta.dirname,
      base: './',
      logLevel: 'warn',
      build: {
        outDir,
        rolldownOptions: {
          input: {
            index: join(import.meta.dirname, 'index.html'),
            fleet: join(import.meta.dirname, 'fleet/index.html'),
            help: join(import.meta.dirname, 'help/index.html'),
          },
        },
        emptyOutDir: true,
        target: 'es2022',
        // The policy of the page allows no inline content.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
      },
    })
    writeHelp(outDir)
    const target = join(dist, 'dashboard')
    try {
      renameSync(target, join(folder, 'old'))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
    renameSync(outDir, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
