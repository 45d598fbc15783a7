/**
 * Makes the two npm packages: `farmgate`, the command line, in `dist/`, and `@farmgate/client` in `dist-client/`. The
 * built dashboard in `dist/` stays; all else there is compiled again.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../lib/child-environment.ts'
import manifest from '../package.json' with { type: 'json' }
import { viewerAssets } from '../runtime/documents/pages.ts'

const root = new URL('../', import.meta.url)
const target = new URL('dist/', root)
const clientTarget = new URL('dist-client/', root)

/**
 * Dependencies that `farmgate` does not have: those of the ticket service, which is not in it, and the viewer behind
 * `/docs`. The few files of the viewer that are used are copied, because `swagger-ui-dist` takes 12 MB and depends on a
 * program that reports each installation to its maker.
 */
const leftOut = ['@napi-rs/lzma', 'picomatch', 'steam-session', 'steam-user', 'swagger-ui-dist']

function compile(project: string, ...options: readonly string[]): void {
  const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root))
  const args = [compiler, '-p', project, ...options]
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    env: childEnvironment(process.env),
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}

function complete(folder: URL, name: string, readme: string, own: object): void {
  const { version, license, type, engines, repository } = manifest
  const { GITHUB_REPOSITORY: owned } = process.env
  // npm's provenance needs the repository that the release was built in, which is another one for a fork.
  const url = owned === undefined ? repository.url : `git+https://github.com/${owned}.git`
  const whole = { name, version, license, type, engines, repository: { ...repository, url }, ...own }
  writeFileSync(new URL('package.json', folder), `${JSON.stringify(whole, null, 2)}\n`)
  copyFileSync(new URL(readme, root), new URL('README.md', folder))
  copyFileSync(new URL('LICENSE', root), new URL('LICENSE', folder))
}

mkdirSync(target, { recursive: true })
for (const name of readdirSync(target).filter((one) => one !== 'dashboard'))
  rmSync(new URL(name, target), { recursive: true })
rmSync(clientTarget, { recursive: true, force: true })
// `npm run check` has checked its types, with the same options; the client must compile without Node's own too.
compile('cli', '--noCheck')
compile('client')

const { description, dependencies, optionalDependencies } = manifest
complete(target, 'farmgate', 'README.md', {
  description,
  bin: { farmgate: 'cli/farmgate.cjs' },
  dependencies: Object.fromEntries(Object.entries(dependencies).filter(([one]) => !leftOut.includes(one))),
  optionalDependencies,
})
const viewer = new URL('viewer/', target)
mkdirSync(viewer)
for (const file of [...Object.keys(viewerAssets), 'LICENSE', 'NOTICE'])
  copyFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${file}`)), new URL(file, viewer))

complete(clientTarget, '@farmgate/client', 'client/README.md', {
  description: 'Typed client of farmgate, the control API of dedicated Stardew Valley servers',
  exports: {
    '.': { types: './index.d.ts', default: './index.js' },
    './fleet': { types: './fleet.d.ts', default: './fleet.js' },
    './follow-log': { types: './follow-log.d.ts', default: './follow-log.js' },
    './package.json': './package.json',
  },
  publishConfig: { access: 'public' },
})
