import type { Writable } from 'node:stream'
import pino from 'pino'
import type * as v from 'valibot'
import { harmlessJson } from '../../lib/harmless-text.ts'
import type { Log } from '../../lib/log.ts'
import type { logFormat, logLevel } from '../../lib/values.ts'

/** Members whose values are never written, in case a secret is logged by mistake. */
const redacted = ['key', 'token', 'apiKey', 'linkKey', 'authorization', '*.authorization', '*.token', '*.key']

export interface LogOptions {
  readonly level: v.InferOutput<typeof logLevel>
  readonly format: v.InferOutput<typeof logFormat>
  /** Where the lines go; standard output unless given. */
  readonly output?: Writable & { readonly hasColors?: () => boolean }
  /** The name of the farm, put on each line as `farm` once it is known. */
  readonly farm?: () => string | undefined
}

/** One line per event on standard output: JSON, or `pretty` for people at a terminal. */
export async function createLog({
  level,
  format,
  output = standardOutput(),
  farm = () => undefined,
}: LogOptions): Promise<Log> {
  const readable = format === 'json' ? undefined : await prettyLine(output.hasColors?.() ?? false)
  const write = bounded(output, (lines) =>
    log.warn({ lines }, 'log lines were left out: standard output was not read'),
  )
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: redacted,
      mixin: () => {
        const name = farm()
        return name === undefined ? {} : { farm: name }
      },
    },
    {
      write: (line: string) =>
        write(readable === undefined ? harmlessJson(line) : harmlessJson(readable(line), '\n\u001b')),
    },
  )
  return log
}

/** Maximum of bytes that wait for a reader of standard output that has stalled. */
const maxWaitingBytes = 1024 * 1024

/**
 * Writes lines to an output. While more than `maxWaitingBytes` wait for its reader, lines are dropped and counted.
 * @param onRead called with the number of dropped lines when the reader continues
 */
function bounded(output: Writable, onRead: (leftOut: number) => void): (line: string) => void {
  let leftOut = 0
  // Each farm of a process has its own log on the same output.
  output.setMaxListeners(0)
  // An error of the output (its reader has ended) must neither end the server nor keep it from stopping.
  output.on('error', () => undefined)
  output.on('drain', () => {
    if (leftOut === 0) return
    const lines = leftOut
    leftOut = 0
    onRead(lines)
  })
  return (line) => {
    if (output.writableLength > maxWaitingBytes) leftOut += 1
    else output.write(line)
  }
}

/**
 * Node writes to a terminal with blocking calls: a stopped terminal (Ctrl-S) would stop the whole process, its signals
 * included. Node has no public way to change this.
 */
function standardOutput(): NodeJS.WriteStream {
  const handle: unknown = Reflect.get(process.stdout, '_handle')
  if (process.stdout.isTTY && typeof handle === 'object' && handle !== null && 'setBlocking' in handle)
    if (typeof handle.setBlocking === 'function') handle.setBlocking(false)
  return process.stdout
}

/** Fields that are shown in the message itself, in this order, and not repeated after it. */
const inMessage = ['method', 'path', 'status', 'ms', 'requestId'] as const

/** pino-pretty is loaded only when it is used, because loading it makes the start slower. */
async function prettyLine(colorize: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  return prettyFactory({
    colorize,
    singleLine: true,
    // Otherwise an `error` would be laid out over several lines.
    errorLikeObjectKeys: [],
    translateTime: 'SYS:HH:MM:ss',
    ignore: inMessage.join(','),
    messageFormat: (line) =>
      [line['msg'], ...inMessage.map((field) => (field === 'ms' ? milliseconds(line[field]) : line[field]))]
        .filter((part) => part !== undefined)
        .join(' ')
        // Messages contain text of clients and of the game: it must not control the terminal or begin a new line.
        .replaceAll(/\p{Cc}/gu, ' '),
  })
}

const milliseconds = (value: unknown): string | undefined =>
  typeof value === 'number' ? `${Math.round(value)} ms` : undefined
