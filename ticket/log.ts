import { createRequire } from 'node:module'
import { pino } from 'pino'
import type * as v from 'valibot'
import type { Log } from '../lib/log.ts'
import type { logLevel } from '../lib/values.ts'
import type { Secrets } from './secrets.ts'

export interface LogOptions {
  readonly level: v.InferOutput<typeof logLevel>
  readonly pretty: boolean
  /** Whether `pretty` lines have colours. */
  readonly colours: boolean
  readonly secrets: Secrets
  /** Where lines go; stderr unless given. */
  readonly write?: ((line: string) => void) | undefined
}

/**
 * @returns the log of the ticket service, on stderr, because stdout is for results only. It passes every line through `secrets.blank`: error messages of libraries may contain secrets.
 */
export function makeLog(options: LogOptions): Log {
  const write = options.write ?? standardError()
  const format = options.pretty ? prettyLine(options.colours) : (line: string) => line
  return pino(
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
    // It contains Steam's messages and paths: they must not control the terminal or begin a new line.
    messageFormat: (line, messageKey) => String(line[messageKey]).replaceAll(/\p{Cc}/gu, ' '),
  })
}
