/**
 * Builds the programs that stay up, and the command line, as JavaScript in `built/`: Node starts it faster than
 * the sources and needs less memory, because it strips no types. npm runs this after an install; without the
 * development packages it does nothing, and the sources run.
 *
 * `runtime/launch.cjs` runs a built file only while no source has changed since.
 */
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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

/** Packages of which a program gets only the parts that it uses; it loads all others as they are. */
const inlined = [
  '@hono/node-server',
  '@hono/node-ws',
  '@valibot/to-json-schema',
  'aws4fetch',
  'birpc',
  'croner',
  'hono',
  'oauth4webapi',
  'valibot',
]

/** A module that is found by its address: that of a thread, or of a command of the ticket service. */
const sibling =
  /new URL\(([`'])\.\/([^`']*?)(?:\.ts|\$\{extname\(import\.meta\.url\)\})\1, import\.meta\.url\)/g

/** The built files replace the old ones at once. */
async function build() {
  const { build } = await import('esbuild')
  const folder = mkdtempSync(join(root, '.built-'))
  const began = Date.now()
  try {
    const outdir = join(folder, 'new')
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [...programs, ...siblings()],
      outdir,
      outbase: root,
      bundle: true,
      splitting: true,
      metafile: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      minifyWhitespace: true,
      sourcemap: true,
      sourcesContent: false,
      inject: ['deploy/programs/typescript-stacks.ts'],
      plugins: [addresses, packages],
      logLevel: 'warning',
    })
    const sources = Object.fromEntries(
      [...Object.keys(metafile.inputs), 'deploy/programs/build.ts'].map((path) => {
        const { mtimeMs, size } = statSync(join(root, path))
        // A source that changed meanwhile is newer than its build.
        return [path, [mtimeMs < began ? mtimeMs : 0, size]]
      }),
    )
    writeFileSync(join(outdir, 'sources.json'), JSON.stringify(sources))
    try {
      renameSync(target, join(folder, 'old'))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
    renameSync(outdir, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A build stays while nothing has changed, because programs that run load parts of it later. `runtime/launch.cjs`
 * compares in the same way: it needs no other file of the project, and runs before Node can read TypeScript.
 */
function isCurrent(): boolean {
  try {
    const sources: Record<string, [number, number]> = JSON.parse(
      readFileSync(join(target, 'sources.json'), 'utf8'),
    )
    return Object.entries(sources).every(([path, [changedAt, bytes]]) => {
      const { mtimeMs, size } = statSync(join(root, path))
      return mtimeMs === changedAt && size === bytes
    })
  } catch {
    return false
  }
}

/** The modules that are found by their address. */
function siblings(): string[] {
  const files = globSync('{bridges,cli,client,handlers,lib,runtime,services,ticket}/**/*.ts', { cwd: root })
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(sibling)].flatMap(([, , name = '']) => {
      const found = globSync(`${dirname(file)}/${name.replace(/\$\{\w+\}/, '*')}.ts`, { cwd: root })
      if (found.length === 0) throw new Error(`${file} runs ${name}.ts, which does not exist`)
      return found
    }),
  )
}

/** In a built file, the address of the checkout or image. */
const builtRoot = "import.meta.url.slice(0,import.meta.url.lastIndexOf('/built/'))"
const fileOf = "process.getBuiltinModule('node:url').fileURLToPath"
const addressed = new RegExp(`${sibling.source}|import\\.meta\\.(?:url|dirname)`, 'g')

/** In a built file, `import.meta.url` and `import.meta.dirname` are those of the source, and siblings are built too. */
const addresses: Plugin = {
  name: 'addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes('import.meta.')) return undefined
      const file = relative(root, path)
      const own = (path: string) => `(${builtRoot}+${JSON.stringify(path)})`
      const contents = source.replace(addressed, (found, _quote, name?: string) => {
        if (name !== undefined) return `new URL(\`./${name}.js\`, ${own(`/built/${file}`)})`
        return found.endsWith('url') ? own(`/${file}`) : `${fileOf}(${own(`/${dirname(file)}`)})`
      })
      return { contents, loader: 'ts' }
    })
  },
}

const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[@\w]/ }, ({ path, kind }) => {
      const isInlined = inlined.some((name) => path === name || path.startsWith(`${name}/`))
      return kind === 'entry-point' || isInlined ? undefined : { path, external: true }
    })
  },
}

try {
  import.meta.resolve('esbuild')
  if (!isCurrent()) await build()
} catch (error) {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  if (!isMissing) throw error
}
