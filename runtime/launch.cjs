/**
 * Runs a program on Node 24 or newer, with any Node from 18 on:
 *
 *     node [option of Node ...] runtime/launch.cjs <program> [argument ...]
 *
 * A running Node that is new enough runs the program itself, in this process. Otherwise the Node of `npm ci` runs it
 * as a child with the same options on the same terminal, with the same exit code or signal. The package is looked up
 * by its own name, because some versions of npm delete `node_modules/.bin/node` when several packages for other
 * platforms share it. Without either, one sentence says what to install, and the exit code is 1.
 *
 * Plain CommonJS, because old versions of Node must read it, and because it loads faster than a module.
 */
'use strict'

const { readFileSync, realpathSync, statSync } = require('node:fs')
const { delimiter, dirname, join, relative, resolve } = require('node:path')

const oldestMajor = 24
/** First argument of the child; the process id of the launcher that started it comes next. */
const childOf = '--child-of'
/** Milliseconds between two checks whether the starting process still runs. */
const lookEvery = 250

const args = process.argv.slice(2)
if (args.length === 0) fail('usage: node runtime/launch.cjs <program> [argument ...]', 2)
else if (Number.parseInt(process.versions.node, 10) >= oldestMajor) runHere()
else runOnPackage()

function runHere() {
  const terminate = () => process.kill(process.pid, 'SIGTERM')
  if (args[0] === childOf) whenEnded(Number(args.splice(0, 2)[1]), terminate)
  else if (isFromNpm()) whenEnded(process.ppid, terminate)
  // So that `node` in a command of the program means this one too.
  process.env.PATH = [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter)
  const [program, ...rest] = args
  process.argv.splice(1, Infinity, builtFile(program) ?? resolve(program), ...rest)
  require('node:module').runMain()
}

/**
 * The JavaScript of a program, which starts faster and needs less memory (`deploy/programs/build.ts`).
 * @returns undefined where it was not built, or one of the sources has changed since
 */
function builtFile(program) {
  const root = dirname(__dirname)
  try {
    const file = join(root, 'built', relative(root, realpathSync(program)).slice(0, -'ts'.length))
    const isCurrent = JSON.parse(readFileSync(`${file}json`, 'utf8')).every(([source, changedAt, bytes]) => {
      // `join` would take longer than all else here.
      const { mtimeMs, size } = statSync(`${root}/${source}`)
      return mtimeMs === changedAt && size === bytes
    })
    return isCurrent ? `${file}js` : undefined
  } catch {
    return undefined
  }
}

function runOnPackage() {
  const isWindows = process.platform === 'win32'
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
  const here = `Node ${process.versions.node} on ${process.platform} ${process.arch}`
  const install = `install Node ${oldestMajor} or newer from https://nodejs.org`
  let node
  try {
    node = require.resolve(`${name}/bin/node${isWindows ? '.exe' : ''}`)
  } catch {
    const isBrought = name in require('../package.json').optionalDependencies
    const what = isBrought ? `run "npm ci", which brings it, or ${install}` : install
    fail(`farmgate needs Node ${oldestMajor} or newer and this is ${here}: ${what}.`)
    return
  }
  const { spawn } = require('node:child_process')
  const launcher = [...process.execArgv, __filename, childOf, String(process.pid)]
  const child = spawn(node, [...launcher, ...args], { stdio: 'inherit' })
  child.on('error', ({ code }) => fail(`${node} cannot run here (${code}): ${install}.`))
  child.on('exit', endAs)
  // A terminal sends Ctrl-C to all processes in front of it, so the child has it already. On Windows the console
  // sends every signal in this way, and `kill` would end the child at once.
  const hasTerminal = [0, 1, 2].some((descriptor) => require('node:tty').isatty(descriptor))
  const childKnows = (signal) => isWindows || (signal === 'SIGINT' && hasTerminal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => childKnows(signal) || child.kill(signal))
  if (isFromNpm()) whenEnded(process.ppid, () => child.kill('SIGTERM'))
}

/**
 * npm sends SIGTERM to the shell in which it runs a script. dash ends without passing it to the program, which would
 * continue alone. Without npm a program may well outlive the shell that started it.
 */
function isFromNpm() {
  return process.env.npm_lifecycle_event !== undefined
}

/** Calls a function when the process that started this one has ended; a killed process cannot report this itself. */
function whenEnded(parent, act) {
  const timer = setInterval(() => {
    // Orphans get another parent, except on Windows, where they keep the number of the old one.
    if (process.ppid === parent && isRunning(parent)) return
    clearInterval(timer)
    act()
  }, lookEvery)
  timer.unref()
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch ({ code }) {
    return code !== 'ESRCH'
  }
}

/** Ends this process in the way in which the child has ended. */
function endAs(code, signal) {
  if (signal === null) process.exit(code)
  process.exitCode = 128 + require('node:os').constants.signals[signal]
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

function fail(sentence, code = 1) {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = code
}
