/** Logs for tests. */
import type { Log } from '../lib/log.ts'

/** A log that writes nothing. */
export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** A line of the log. */
export interface LogLine {
  readonly level: keyof Log
  readonly fields: object
  readonly message: string
}

/** A log that adds its lines to a list. */
export function recorder(lines: LogLine[]): Log {
  const at = (level: keyof Log) => (fields: object, message: string) =>
    void lines.push({ level, fields, message })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
