import type { Log } from '../../ticket/log.ts'

/** A log whose lines are kept: level, message and fields of each. */
export function keptLog(): Log & { readonly lines: readonly (readonly [string, string, object?])[] } {
  const lines: (readonly [string, string, object?])[] = []
  const at = (level: string) => (message: string, fields?: object) =>
    void lines.push(fields === undefined ? [level, message] : [level, message, fields])
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
