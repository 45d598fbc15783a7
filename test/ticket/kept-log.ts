import type { Log } from '../../lib/log.ts'

/** A log that records level, message and fields of each line. */
export function keptLog(): Log & { readonly lines: readonly (readonly [string, string, object?])[] } {
  const lines: (readonly [string, string, object?])[] = []
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push(Object.keys(fields).length === 0 ? [level, message] : [level, message, fields])
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
