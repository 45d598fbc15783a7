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
  if (format === 'json') return pino(options)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({ colorize: process.stdout.hasColors?.() ?? false, translateTime: 'SYS:HH:MM:ss' }),
  )
}
