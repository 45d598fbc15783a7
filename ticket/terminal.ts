import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from './errors.ts'

/** Writes to stderr and reads answers from a terminal or a pipe. */
export interface Prompter {
  say(text: string): void
  /** Asks for one line; `hidden` turns the echo off. Rejects with the reason of the signal when it aborts first. */
  ask(question: string, options?: { hidden?: boolean; signal?: AbortSignal }): Promise<string>
}

/** The streams of a process; parameters, so that a test can give the answers. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { isTTY?: boolean }
  /** Where prompts go: stderr. */
  readonly output: NodeJS.WritableStream
  /** Called on Ctrl-C at a prompt. */
  interrupt(): void
}

/** A prompter that can be closed. It reads no input before the first question. */
export interface TerminalPrompter extends Prompter {
  close(): void
}

/**
 * Asks on stderr and reads lines from stdin, a terminal or a pipe. On a terminal a hidden answer is not echoed. When the
 * input ends, `ask` throws a Failure `login_needed`.
 */
export function terminalPrompter({ input, output, interrupt }: Terminal): TerminalPrompter {
  let hidden = false
  let reader: Interface | undefined
  let ended = false
  const lines: string[] = []
  let waiting: ((line: string | undefined) => void) | undefined

  // readline echoes the typed text to this stream, which drops it while the answer is hidden.
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!hidden) output.write(chunk)
      done()
    },
  })

  function start(): Interface {
    if (reader) return reader
    // No history: the arrow-up key would show a password that was typed before.
    const made = createInterface({ input, output: echo, terminal: input.isTTY === true, historySize: 0 })
    made.on('line', (line) => deliver(line))
    made.on('close', () => {
      ended = true
      deliver(undefined)
    })
    made.on('SIGINT', interrupt)
    reader = made
    return made
  }

  function deliver(line: string | undefined): void {
    if (waiting) waiting(line)
    else if (line !== undefined) lines.push(line)
  }

  function nextLine(signal: AbortSignal | undefined): Promise<string | undefined> {
    const early = lines.shift()
    if (early !== undefined) return Promise.resolve(early)
    if (ended) return Promise.resolve(undefined)
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
    async ask(question, { hidden: secret = false, signal } = {}) {
      signal?.throwIfAborted()
      const open = start()
      if (input.isTTY) {
        // readline writes the prompt, so that it is drawn again when the line is edited.
        open.setPrompt(question)
        open.prompt()
      } else output.write(question)
      hidden = secret
      try {
        const line = await nextLine(signal)
        if (line === undefined)
          throw new Failure('login_needed', 'Not signed in: nobody answered on standard input.')
        return line
      } finally {
        if (hidden || !input.isTTY || signal?.aborted) output.write('\n')
        hidden = false
      }
    },
    close: () => reader?.close(),
  }
}
