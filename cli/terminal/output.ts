/** Where a command writes: results to one stream, everything else to the other. */
import type { WriteStream } from 'node:tty'
import type { Environment } from '../../lib/environment.ts'
import { harmlessJson } from '../../lib/harmless-text.ts'
import { stringifyRecord } from '../../lib/json.ts'
import { rendered, type Text } from './text.ts'

export interface Output {
  /** Whether a person sees it. */
  readonly isTerminal: boolean
  /** Whether the cursor can be moved: not on a terminal of type `dumb`. */
  readonly hasCursor: boolean
  readonly hasColours: boolean
  /** Of the terminal; Infinity for a pipe or file. */
  columns(): number
  rows(): number
  line(text: Text): void
  /** @param record bigints are written as numbers and also as texts, as in the API */
  json(record: unknown, indent?: number): void
  /** Writes farmgate's own bytes: cursor movements, a download. */
  raw(content: string | Uint8Array): void
  onResize(listener: () => void): void
}

/** A terminal, a pipe or a file. */
export type OutputStream = NodeJS.WritableStream &
  Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows' | 'hasColors'>>

/** @param stream stdout or stderr */
export function output(stream: OutputStream, env: Environment): Output {
  const isTerminal = stream.isTTY === true
  // False for a terminal without colours (TERM=dumb) and with NO_COLOR.
  const hasColours = isTerminal && stream.hasColors?.(env) === true
  return {
    isTerminal,
    hasCursor: isTerminal && env['TERM'] !== 'dumb',
    hasColours,
    columns: () => (isTerminal ? stream.columns || 80 : Number.POSITIVE_INFINITY),
    rows: () => (isTerminal ? stream.rows || 24 : Number.POSITIVE_INFINITY),
    line: (text) => void stream.write(`${rendered(text, hasColours)}\n`),
    json: (record, indent) => void stream.write(`${harmlessJson(stringifyRecord(record, indent))}\n`),
    raw: (content) => void stream.write(content),
    onResize: (listener) => void stream.on('resize', listener),
  }
}
