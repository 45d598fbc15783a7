/**
 * `runtime/launch.cjs` in a separate folder, with a package that contains a Node, as `npm ci` leaves it but for `.bin`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn as spawnInTerminal } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { eventually } from '../wait.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const platform = process.platform === 'win32' ? 'win' : process.platform
/** Loaded before the launcher: the running Node reports an old version, but not in the child of the launcher. */
const pretendOld = `if (process.argv[2] !== '--child-of')
  Object.defineProperty(process.versions, 'node', { value: '20.19.5' })`

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Launched {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Waits until the output matches. */
  said(words: RegExp): Promise<RegExpExecArray>
}

export interface Place {
  readonly folder: string
  /**
   * Launches a program with this text; an old Node must run it with the package's. @param options of Node, before the
   * launcher
   */
  launch(
    program: string,
    runs: 'new' | 'old',
    args?: readonly string[],
    options?: readonly string[],
  ): Launched
  /** The same as npm does it: in a shell, which is the returned process. */
  launchFromNpm(program: string, runs: 'new' | 'old'): Launched
  /** The same in a terminal of 91 columns, which gets those keys once the program has printed `ready`. */
  inTerminal(program: string, runs: 'new' | 'old', keys: string): Promise<{ code: number; screen: string }>
}

/** @param brings whether the folder has the package */
export function makePlace(brings = true): Place {
  const folder = newFolder()
  mkdirSync(join(folder, 'runtime'))
  for (const name of ['runtime/launch.cjs', 'package.json'])
    copyFileSync(join(root, name), join(folder, name))
  writeFileSync(join(folder, 'old.cjs'), pretendOld)
  if (brings) {
    const bin = join(folder, 'node_modules', `node-${platform}-${process.arch}`, 'bin')
    mkdirSync(bin, { recursive: true })
    symlinkSync(process.execPath, join(bin, platform === 'win' ? 'node.exe' : 'node'))
  }
  const command = (
    program: string,
    runs: 'new' | 'old',
    args: readonly string[] = [],
    options: readonly string[] = [],
  ): [string, ...string[]] => {
    writeFileSync(join(folder, 'program.ts'), program)
    const preload = runs === 'old' ? ['--require', join(folder, 'old.cjs')] : []
    return [process.execPath, ...preload, ...options, 'runtime/launch.cjs', 'program.ts', ...args]
  }
  return {
    folder,
    launch(program, runs, args, options) {
      const [file, ...line] = command(program, runs, args, options)
      return follow(spawn(file, line, { cwd: folder }))
    },
    launchFromNpm(program, runs) {
      const words = command(program, runs).map((word) => `"${word}"`)
      // A second command stops the shell from becoming the program: dash never does, bash would.
      const env = { ...process.env, npm_lifecycle_event: 'start' }
      return follow(spawn('sh', ['-c', `${words.join(' ')}; true`], { cwd: folder, env }))
    },
    inTerminal(program, runs, keys) {
      const [file, ...line] = command(program, runs)
      const terminal = spawnInTerminal(file, line, { cwd: folder, cols: 91 })
      onTestFinished(() => terminal.kill('SIGKILL'))
      let screen = ''
      terminal.onData((text) => {
        const wasReady = screen.includes('ready')
        screen += text
        if (!wasReady && screen.includes('ready')) terminal.write(keys)
      })
      return new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve({ code: exitCode, screen })))
    },
  }
}

/** Collects the output of a process, and ends it with the test. */
export function follow(child: ChildProcess): Launched {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    child,
    ended,
    said: (words) =>
      eventually(() => {
        const found = words.exec(stdout)
        if (found === null) throw new Error(`not said yet: ${words}\n${stdout}\n${stderr}`)
        return found
      }),
  }
}
