import { harmlessJson } from '../../lib/harmless-text.ts'
import type { Log } from '../../lib/log.ts'

/** In order of urgency. `LOG_LEVEL` may be `trace` or `fatal`, but no line is logged at these levels. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
type LineLevel = Exclude<(typeof levels)[number], 'trace' | 'fatal'>

/**
 * JSON lines on the console, where the platform collects them.
 * @param level of `LOG_LEVEL`; `silent` logs nothing, and an unknown one counts as `info`
 * @param farm the farm of the lines: its name in the fleet, or `default`; undefined for lines about no single farm
 */
export function edgeLog(level: string | undefined, farm?: string): Log {
  const index = level === 'silent' ? levels.length : levels.findIndex((name) => name === (level ?? 'info'))
  const lowest = index < 0 ? levels.indexOf('info') : index
  const at = (name: LineLevel) =>
    levels.indexOf(name) < lowest
      ? () => undefined
      : (fields: object, message: string) =>
          // biome-ignore lint/suspicious/noConsole: the console is the Worker's log
          console.log(harmlessJson(JSON.stringify({ level: name, farm, ...fields, msg: message })))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
