import type { Log } from '../log.ts'

/** From the least to the most urgent; `fatal` and `trace` are levels of `LOG_LEVEL` that no line here has. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
type Spoken = Exclude<(typeof levels)[number], 'trace' | 'fatal'>

/**
 * JSON lines on the console, where the platform collects them.
 * @param level `silent` says nothing; `info` when unknown
 * @param farm whose object speaks: its name in the fleet, or `default`; none for what concerns no single farm
 */
export function edgeLog(level: string | undefined, farm?: string): Log {
  const least = level === 'silent' ? levels.length : levels.findIndex((name) => name === (level ?? 'info'))
  const from = least < 0 ? levels.indexOf('info') : least
  const at = (name: Spoken) =>
    levels.indexOf(name) < from
      ? () => undefined
      : (fields: object, message: string) =>
          // biome-ignore lint/suspicious/noConsole: the console is the Worker's log
          console.log(JSON.stringify({ level: name, farm, ...fields, msg: message }))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
