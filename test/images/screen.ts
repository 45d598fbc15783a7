/** A terminal on a machine; the test reads its screen and types. */
import { spawn } from '@lydell/node-pty'
import { eventually } from '../wait.ts'
import type { Machine } from './machine.ts'

export function openScreen(machine: Machine, program: string, ...args: readonly string[]) {
  const { program: starter, args: all, env } = machine.command(program, ...args)
  const pty = spawn(starter, all, { env: { ...env, TERM: 'xterm' }, cols: 160, rows: 50 })
  let screen = ''
  pty.onData((data) => {
    screen += data
  })
  const exit = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
  return {
    screen: () => screen,
    exit,
    /** Types a line once the screen shows a text. */
    async answer(question: string, line: string) {
      await eventually(() => {
        if (!screen.includes(question)) throw new Error(`no "${question}" on the screen:\n${screen}`)
      })
      pty.write(`${line}\r`)
    },
  }
}
