/**
 * Builds the programs that stay up, and the command line, as JavaScript in `built/`: Node starts it faster than
 * the sources and needs less memory, because it strips no types. npm runs this after an install; without the
 * development packages it does nothing, and the sources run.
 *
 * `runtime/launch.cjs` runs a built file only while no source has changed since.
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Plugin } from 'esbuild'

const root = join(import.meta.dirname, '../..')
const target = join(root, 'built')

/** Those that the context of an image has. */
const programs = [
  'runtime/node/serve.ts',
  'own-edge/serve.ts',
  'ticket/main.ts',
  'cli/main.ts',
  'cli/demo/main.ts',
].filter((path) => existsSync(join(root, path)))

/** Packages that a program loads as they are: native ones, large ones that few starts need, and files found by their path. */
const external = [
  '@napi-rs/lzma',
  'age-encryption',
  'pino-pretty',
  'steam-session',
  'steam-user',
  'swagger-ui-dist',
]

/** The file of a thread, found by its address. */
const thread =
  /new URL\(([`'])\.\/([^`']*?)(?:\.ts|\$\{extname\(import\.meta\.url\)\})\1, import\.meta\.url\)/g

/**
 * The built files replace the old ones at once. Each program is one file and those that it loads later, because every
 * further file makes a start slower; a thread is a program too.
 */
async function build() {
  const { build } = await import('esbuild')
  const began = Date.now()
  // As deep as the target, for the source maps.
  const outdir = join(root, `.built-${process.pid}`)
  const old = `${outdir}-old`
  /** The sources of a program and of its threads. */
  const sourcesOf = async (program: string): Promise<readonly string[]> => {
    const threads = new Set<string>()
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [program],
      outdir,
      outbase: root,
      bundle: true,
      splitting: true,
      metafile: true,
      format: 'esm',
      platform: 'node',
      mainFields: ['module', 'main'],
      target: 'node24',
      minifyWhitespace: true,
      sourcemap: true,
      sourcesContent: false,
      // For packages that are CommonJS.
      banner: { js: `const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);` },
      inject: ['deploy/programs/typescript-stacks.ts'],
      plugins: [addresses(threads), packages],
      logLevel: 'warning',
    })
    const own = Object.keys(metafile.inputs).filter((path) => !path.startsWith('node_modules/'))
    return [...own, ...(await Promise.all([...threads].map(sourcesOf))).flat()]
  }
  try {
    for (const program of programs) {
      const sources = new Set([
        ...(await sourcesOf(program)),
        'deploy/programs/build.ts',
        'package-lock.json',
      ])
      const states = [...sources].map((path) => {
        const { mtimeMs, size } = statSync(join(root, path))
        // A source that changed meanwhile is newer than its build.
        return [path, mtimeMs < began ? mtimeMs : 0, size]
      })
      writeFileSync(join(outdir, program.replace(/ts$/, 'json')), JSON.stringify(states))
    }
    try {
      renameSync(target, old)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
    renameSync(outdir, target)
  } finally {
    for (const folder of [outdir, old]) rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A build stays while nothing has changed, because programs that run load parts of it later. `runtime/launch.cjs`
 * compares in the same way: it needs no other file of the project, and runs before Node can read TypeScript.
 */
function isCurrent(program: string): boolean {
  try {
    const sources: readonly [string, number, number][] = JSON.parse(
      readFileSync(join(target, program.replace(/ts$/, 'json')), 'utf8'),
    )
    return sources.every(([path, changedAt, bytes]) => {
      const { mtimeMs, size } = statSync(join(root, path))
      return mtimeMs === changedAt && size === bytes
    })
  } catch {
    return false
  }
}

/** In a built file, the address of the checkout or image. */
const builtRoot = "import.meta.url.slice(0,import.meta.url.lastIndexOf('/built/'))"
const fileOf = "process.getBuiltinModule('node:url').fileURLToPath"
const addressed = new RegExp(`${thread.source}|import\\.meta\\.(?:url|dirname)`, 'g')

/**
 * In a built file, `import.meta.url` and `import.meta.dirname` are those of the source, and threads are built too.
 * @param threads gets the files of the threads
 */
const addresses = (threads: Set<string>): Plugin => ({
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes('import.meta.')) return undefined
      const file = relative(root, path)
      const own = (path: string) => `(${builtRoot}+${JSON.stringify(path)})`
      const contents = source.replace(addressed, (found, _quote, name?: string) => {
        if (name === undefined)
          return found.endsWith('url') ? own(`/${file}`) : `${fileOf}(${own(`/${dirname(file)}`)})`
        threads.add(join(dirname(file), `${name}.ts`))
        return `new URL(\`./${name}.js\`, ${own(`/built/${file}`)})`
      })
      return { contents, loader: 'ts' }
    })
  },
})

const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[@\w]/ }, ({ path }) => {
      const isExternal = external.some((name) => path === name || path.startsWith(`${name}/`))
      return isExternal ? { path, external: true } : undefined
    })
  },
}

try {
  import.meta.resolve('esbuild')
  if (!programs.every(isCurrent)) await build()
} catch (error) {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  if (!isMissing) throw error
}
