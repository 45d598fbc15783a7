/** The output of workerd and of the Worker in it, as lines of the log. */

import * as v from 'valibot'
import { checkForeign, foreignValue } from '../lib/foreign/read.ts'
import type { Log } from '../lib/log.ts'

const levels = {
  debug: 'debug',
  info: 'info',
  log: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
} as const
const isLevel = (level: string): level is keyof typeof levels => Object.hasOwn(levels, level)
const level = v.pipe(
  v.string(),
  v.transform((text) => levels[isLevel(text) ? text : 'info']),
)
/** A line of `runtime/edge/log.ts`. */
const ofWorker = v.looseObject({ level, msg: v.string() })
const ofWorkerd = v.looseObject({ level, message: v.string() })

/** Writes one line of the output to the log. */
export function logLine(log: Log, line: string): void {
  if (line.trim() === '') return
  const whole = checkForeign(ofWorkerd, foreignValue(line))
  const message = whole.success ? whole.output.message : line
  const own = checkForeign(ofWorker, foreignValue(message))
  if (own.success) {
    const { level: at, msg, ...fields } = own.output
    log[at](fields, msg)
  } else log[whole.success ? whole.output.level : 'info']({ from: 'workerd' }, message.slice(0, 2000))
}
