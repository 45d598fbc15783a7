import pino, { type Logger } from 'pino'

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export const logFormats = ['json', 'pretty'] as const

/** Wherever a secret might stand by accident, it is not written. */
const redacted = ['key', 'token', 'apiKey', 'linkKey', 'authorization', '*.authorization', '*.token', '*.key']

export interface LogOptions {
  readonly level: (typeof logLevels)[number]
  readonly format: (typeof logFormats)[number]
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
