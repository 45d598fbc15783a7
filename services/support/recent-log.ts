/** Keeps the last lines of farmgate's own log, for the bundle for asking for help. */
import { isoTime } from '../../handlers/iso-time.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Log } from '../../lib/log.ts'

/** Lines of each log in a bundle. */
export const logLines = 2000

/**
 * @param clean a line before it is kept: it is cut only without secrets
 * @param now milliseconds since 1970
 * @returns a log that passes on every line, and keeps those of `info` and above
 */
export function recentLog(
  log: Log,
  clean: (line: string) => string,
  now: () => number,
): { readonly log: Log; lines(): readonly string[] } {
  const lines: string[] = []
  const kept =
    (level: Exclude<keyof Log, 'debug'>): Log['info'] =>
    (fields, message) => {
      log[level](fields, message)
      lines.push(clean(stringifyJson({ level, time: isoTime(now()), ...fields, message })))
      if (lines.length > logLines) lines.shift()
    }
  return {
    log: {
      debug: (fields, message) => log.debug(fields, message),
      info: kept('info'),
      warn: kept('warn'),
      error: kept('error'),
    },
    lines: () => lines,
  }
}
