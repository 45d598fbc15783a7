import type { JobControl } from './job-control.ts'
import { typedLine } from './typed-line.ts'

/** The source of answers: a terminal or a pipe. */
export type AnswerSource = ReturnType<typeof keyboard>

/** The streams of a process; parameters, so that a test can give the answers. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(raw: boolean): unknown }
  /** For prompts: stderr. */
  readonly output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
  readonly jobControl: JobControl
  /** Called on Ctrl-C at a terminal. */
  interrupt(): void
}

/**
 * Reads lines from a terminal. Until it is closed the terminal itself shows nothing of what is typed (raw mode); this
 * shows it only during a question that is not hidden. On Ctrl-Z the terminal returns to its earlier mode until the
 * program continues; then the question is shown again.
 * @param deliver gets each line, and undefined when there will be no more
 */
export function keyboard(
  { input, output, jobControl, interrupt }: Terminal,
  deliver: (line: string | undefined) => void,
) {
  let asked: { readonly question: string; readonly hidden: boolean } | undefined
  const decoder = new TextDecoder()
  const raw = (on: boolean) => void input.setRawMode?.(on)
  // Where stderr is a file, typed text would only go into that file.
  const isShown = () => asked?.hidden === false && output.isTTY === true
  const endQuestion = () => {
    if (asked !== undefined) output.write('\n')
    asked = undefined
  }
  const draw = () => {
    if (asked !== undefined) output.write(asked.question + (isShown() ? line.typed() : ''))
  }

  const line = typedLine({
    entered(text) {
      endQuestion()
      deliver(text)
    },
    added(text) {
      if (isShown()) output.write(text)
    },
    removed(text) {
      if (!isShown()) return
      const length = (asked?.question.length ?? 0) + line.typed().length + text.length
      // Backspace does not return to the row above, and moves only half of a wide character.
      if (length < (output.columns ?? 80) && /^[ -~]*$/.test(text)) output.write('\b \b'.repeat(text.length))
      else {
        output.write('\n')
        draw()
      }
    },
    interrupt() {
      endQuestion()
      interrupt()
    },
    suspend() {
      if (!jobControl.canSuspend()) return
      raw(false)
      jobControl.suspend()
      raw(true)
    },
    end: () => deliver(undefined),
  })

  const type = (keys: string | Buffer) =>
    line.type(typeof keys === 'string' ? keys : decoder.decode(keys, { stream: true }))
  const end = () => deliver(undefined)
  const stopListening = jobControl.onContinue(() => {
    // The shell may have changed the mode. libuv does nothing when the mode is the one that it set last.
    raw(false)
    raw(true)
    output.write('\r')
    draw()
  })
  raw(true)
  input.on('data', type)
  input.on('end', end)
  // The terminal was closed.
  input.on('error', end)
  // An earlier keyboard paused the input when it was closed, and adding a listener does not resume it.
  input.resume()

  return {
    /** Shows a question, and what is typed unless it is `hidden`. The next line answers it. */
    show(question: string, hidden: boolean) {
      asked = { question, hidden }
      draw()
    },
    /** Ends an unanswered question, and forgets what was typed. */
    withdraw() {
      endQuestion()
      line.clear()
    },
    close() {
      stopListening()
      input.off('data', type)
      input.pause()
      raw(false)
    },
  }
}
