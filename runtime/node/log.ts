import type { Writable } from 'node:stream'
import pino from 'pino'
import type * as v from 'valibot'
import type { logFormat, logLevel } from '../../process/values.ts'
import type { Log } from '../log.ts'

/** Wherever a secret might stand by accident, it is not written. */
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
    log.warn({ lines }, 'log lines were left out: nobody read standard output'),
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
    { write: readable === undefined ? write : (line: string) => write(readable(line)) },
  )
  return log
}

/** Bytes that may wait for a reader that has stalled. */
const mostWaiting = 1024 * 1024

/** Writes lines while they are read; what a reader who stalls would make wait beyond a bound is left out, and counted. */
function bounded(output: Writable, onRead: (leftOut: number) => void): (line: string) => void {
  let leftOut = 0
  // A reader that goes away must not take the server with it, nor keep it from stopping.
  output.on('error', () => undefined)
  output.on('drain', () => {
    if (leftOut === 0) return
    const lines = leftOut
    leftOut = 0
    onRead(lines)
  })
  return (line) => {
    if (output.writableLength > mostWaiting) leftOut += 1
    else output.write(line)
  }
}

/**
 * Node writes to a terminal with blocking calls: one that is stopped (Ctrl-S) would stop the whole process, its
 * signals included. Node has no public way to say otherwise.
 */
function standardOutput(): NodeJS.WriteStream {
  const handle: unknown = Reflect.get(process.stdout, '_handle')
  if (process.stdout.isTTY && typeof handle === 'object' && handle !== null && 'setBlocking' in handle)
    if (typeof handle.setBlocking === 'function') handle.setBlocking(false)
  return process.stdout
}

/** Shown in the message of their line, in this order, and not once more behind it. */
const inMessage = ['method', 'path', 'status', 'ms', 'requestId'] as const

/** Loaded only where it is used: it costs time at start. */
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
        // Words of others stand in messages: none may steer the terminal or begin a line.
        .replaceAll(/\p{Cc}/gu, ' '),
  })
}

const milliseconds = (value: unknown): string | undefined =>
  typeof value === 'number' ? `${Math.round(value)} ms` : undefined
