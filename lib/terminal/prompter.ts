import { createInterface } from 'node:readline'
import { type AnswerSource, keyboard, type Terminal } from './keyboard.ts'

/** Writes to stderr and reads answers from a terminal or a pipe. */
export interface Prompter {
  say(text: string): void
  /** Asks for one line; `hidden` turns the echo off. Rejects with the reason of the signal when it aborts first. */
  ask(question: string, options?: { hidden?: boolean; signal?: AbortSignal }): Promise<string>
}

/** A prompter that can be closed. It reads no input before the first question. */
export interface TerminalPrompter extends Prompter {
  /** Returns the terminal to its mode before the first question. */
  close(): void
}

/**
 * Asks on stderr and reads lines from stdin, a terminal or a pipe. Lines that come before their question answer the
 * next ones.
 * @param ended makes the error of `ask` when the input ends before the answer
 */
export function terminalPrompter(terminal: Terminal, ended: () => Error): TerminalPrompter {
  const { input, output } = terminal
  let source: AnswerSource | undefined
  let isOver = false
  const early: string[] = []
  let waiting: ((line: string | undefined) => void) | undefined

  function deliver(line: string | undefined): void {
    if (line === undefined) isOver = true
    if (waiting) waiting(line)
    else if (line !== undefined) early.push(line)
  }

  function nextLine(signal: AbortSignal | undefined): Promise<string | undefined> {
    if (isOver) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const abort = () => {
        waiting = undefined
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      waiting = (line) => {
        waiting = undefined
        signal?.removeEventListener('abort', abort)
        resolve(line)
      }
    })
  }

  return {
    say: (text) => void output.write(`${text}\n`),
    async ask(question, { hidden = false, signal } = {}) {
      signal?.throwIfAborted()
      source ??= input.isTTY === true ? keyboard(terminal, deliver) : pipe(terminal, deliver)
      const typedAhead = early.shift()
      if (typedAhead !== undefined) {
        output.write(`${question}\n`)
        return typedAhead
      }
      source.show(question, hidden)
      try {
        const line = await nextLine(signal)
        if (line === undefined) throw ended()
        return line
      } catch (error) {
        source.withdraw()
        throw error
      }
    },
    close() {
      source?.close()
      // A later question opens the terminal again.
      source = undefined
    },
  }
}

/** Reads lines from a pipe or a file. */
function pipe({ input, output }: Terminal, deliver: (line: string | undefined) => void): AnswerSource {
  let isAsked = false
  const endQuestion = () => {
    if (isAsked) output.write('\n')
    isAsked = false
  }
  const lines = createInterface({ input, terminal: false })
  lines.on('line', (line) => {
    endQuestion()
    deliver(line)
  })
  lines.on('close', () => deliver(undefined))
  return {
    show(question) {
      isAsked = true
      output.write(question)
    },
    withdraw: endQuestion,
    close: () => lines.close(),
  }
}
