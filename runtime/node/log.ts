import pino, { type Logger } from 'pino'
import type * as v from 'valibot'
import type { logFormat, logLevel } from '../../process/values.ts'

/** Wherever a secret might stand by accident, it is not written. */
const redacted = ['key', 'token', 'apiKey', 'linkKey', 'authorization', '*.authorization', '*.token', '*.key']

export interface LogOptions {
  readonly level: v.InferOutput<typeof logLevel>
  readonly format: v.InferOutput<typeof logFormat>
}

/** One JSON line per event on standard output; `pretty` is for people at a terminal. */
export async function createLog({ level, format }: LogOptions): Promise<Logger> {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: redacted }
  // A reader of the log that goes away must not take the server with it, nor keep it from stopping.
  process.stdout.on('error', () => undefined)
  if (format === 'json') return pino(options, process.stdout)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({ colorize: process.stdout.hasColors?.() ?? false, translateTime: 'SYS:HH:MM:ss' }),
  )
}
