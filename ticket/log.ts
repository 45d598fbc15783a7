import { createRequire } from 'node:module'
import { pino } from 'pino'
import type * as v from 'valibot'
import type { logLevel } from '../lib/values.ts'
import type { Secrets } from './secrets.ts'

/** The log of the ticket service. It is written to stderr; stdout is for results only. */
export interface Log {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

export interface LogOptions {
  readonly level: v.InferOutput<typeof logLevel>
  readonly pretty: boolean
  /** Whether `pretty` lines have colours. */
  readonly colours: boolean
  readonly secrets: Secrets
  /** Where lines go; stderr unless given. */
  readonly write?: (line: string) => void
}

/**
 * @returns a log that passes every line through `secrets.blank`: error messages of libraries may contain secrets.
 */
export function makeLog(options: LogOptions): Log {
  const write = options.write ?? standardError()
  const format = options.pretty ? prettyLine(options.colours) : (line: string) => line
  const base = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write: (line: string) => write(options.secrets.blank(format(line))),
    },
  )
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: object) =>
    base[level](fields ?? {}, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Writes synchronously and retries when the pipe is full, so that a line before an exit is not lost. */
function standardError(): (line: string) => void {
  const sink = pino.destination({ dest: 2, sync: true })
  // The reader of stderr has closed it. There is no other place to report this.
  sink.on('error', () => undefined)
  return (line) => void sink.write(line)
}

/** Loads pino-pretty only when it is used, because loading makes the start slower. */
function prettyLine(colorize: boolean): (line: string) => string {
  const require = createRequire(import.meta.url)
  const { prettyFactory }: typeof import('pino-pretty') = require('pino-pretty')
  return prettyFactory({
    colorize,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    // Steam's messages and paths are in it: they must not control the terminal or begin a new line.
    messageFormat: (line, messageKey) => String(line[messageKey]).replaceAll(/\p{Cc}/gu, ' '),
  })
}
