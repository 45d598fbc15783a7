/** Where a command writes: results to one stream, everything else to the other. */
import type { WriteStream } from 'node:tty'
import type { Environment } from '../../lib/environment.ts'
import { harmlessJson } from '../../lib/harmless-text.ts'
import { stringifyRecord } from '../../lib/json.ts'
import { rendered, type Text } from './text.ts'

export type Output = ReturnType<typeof output>

/** A terminal, a pipe or a file. */
export type OutputStream = NodeJS.WritableStream &
  Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows' | 'hasColors'>>

/** @param stream stdout or stderr */
export function output(stream: OutputStream, env: Environment) {
  const isTerminal = stream.isTTY === true
  // False for a terminal without colours (TERM=dumb) and with NO_COLOR.
  const hasColours = isTerminal && stream.hasColors?.(env) === true
  return {
    /** Whether a person sees it. */
    isTerminal,
    /** Whether the cursor can be moved: not on a terminal of type `dumb`. */
    hasCursor: isTerminal && env['TERM'] !== 'dumb',
    hasColours,
    /** Of the terminal; Infinity for a pipe or file. */
    columns: () => (isTerminal ? stream.columns || 80 : Number.POSITIVE_INFINITY),
    rows: () => (isTerminal ? stream.rows || 24 : Number.POSITIVE_INFINITY),
    line: (text: Text) => void stream.write(`${rendered(text, hasColours)}\n`),
    /** @param record bigints are written as numbers and also as texts, as in the API */
    json: (record: unknown, indent?: number) =>
      void stream.write(`${harmlessJson(stringifyRecord(record, indent))}\n`),
    /** Writes farmgate's own bytes: cursor movements, a download. */
    raw: (content: string | Uint8Array) => void stream.write(content),
    onResize: (listener: () => void) => void stream.on('resize', listener),
  }
}
