/** The game's process and the operations on it, as `/host` shows them. */
import * as v from 'valibot'
import { described, docs } from './described.ts'
import { timestamp } from './game-records.ts'

export const hostDriver = v.picklist(['docker', 'systemd', 'pelican', 'command', 'simulated'])
export type HostDriver = v.InferOutput<typeof hostDriver>

export const logLine = v.object({
  at: v.exactOptional(described(docs('When it was printed, where the host reports it.'), timestamp)),
  text: v.string(),
})
export type LogLine = Readonly<v.InferOutput<typeof logLine>>

const hostAction = v.picklist(['start', 'stop', 'restart', 'load_save', 'new_farm'])
export type HostAction = v.InferOutput<typeof hostAction>

/** When the game may be stopped: at once, when no one is connected, or after a day has been saved. */
const hostWhen = v.picklist(['now', 'empty', 'night'])

/**
 * The states of an operation, in the order in which it can pass them; the last three are its ends. `preparing`: the game
 * is stopped, and farmgate sets what it then loads.
 */
export const operationState = v.picklist([
  'waiting',
  'warning',
  'saving',
  'backing_up',
  'stopping',
  'preparing',
  'starting',
  'checking',
  'succeeded',
  'failed',
  'cancelled',
])
export type OperationState = v.InferOutput<typeof operationState>

export const hostOperation = v.object({
  id: v.string(),
  action: hostAction,
  when: hostWhen,
  state: operationState,
  requestedAt: timestamp,
  endedAt: v.exactOptional(timestamp),
  stopsAt: v.exactOptional(
    described(
      docs('While it warns the players: when it stops the game, unless all leave before.'),
      timestamp,
    ),
  ),
  by: described(
    docs('The key or account that asked for it, or `watchdog`.'),
    v.object({ id: v.string(), name: v.string() }),
  ),
  reason: v.exactOptional(v.string()),
  error: v.exactOptional(described(docs('Why it failed.'), v.string())),
  undone: v.exactOptional(
    described(
      docs('Of `load_save` and `new_farm`: it failed, and the game plays the farm from before.'),
      v.literal(true),
    ),
  ),
  lines: v.exactOptional(
    described(docs("The last lines of the game's log when it failed, at most 20."), v.array(logLine)),
  ),
  steps: v.array(v.object({ state: operationState, at: timestamp })),
})
export type HostOperation = Readonly<v.InferOutput<typeof hostOperation>>

export const someMinutes =
  "Member 'warnMinutes' must be a list of at most 10 whole numbers from 60 to 1, each smaller than the one before"
/** Whether each warning is after the one before. */
export const isFalling = (minutes: readonly number[]): boolean =>
  minutes.every((one, at) => one < (minutes[at - 1] ?? Number.POSITIVE_INFINITY))
const aReason = "Member 'reason' must be a text of 1 to 200 characters"
const yesOrNo = (member: string) => v.boolean(`Member '${member}' must be true or false`)

/** The body of `POST /host/stop` and its siblings. The messages are sentences for the caller. */
export const hostRequest = described(
  docs('The body of `startGame`, `stopGame` and `restartGame`.'),
  v.strictObject({
    when: v.optional(
      described(
        docs('`empty`: when no one is connected. `night`: after a day has been saved. `now` unless given.'),
        v.picklist(hostWhen.options, "Member 'when' must be now, empty or night"),
      ),
      'now',
    ),
    warnMinutes: v.optional(
      described(
        docs(
          'Minutes before the stop at which connected players are warned, falling; 10, 5 and 1 unless given.',
        ),
        v.pipe(
          v.array(
            v.pipe(
              v.number(someMinutes),
              v.integer(someMinutes),
              v.minValue(1, someMinutes),
              v.maxValue(60, someMinutes),
            ),
            someMinutes,
          ),
          v.maxLength(10, someMinutes),
        ),
      ),
      [10, 5, 1],
    ),
    backup: v.optional(
      described(
        docs('A backup is made before the stop, where backups are set up; true unless given.'),
        yesOrNo('backup'),
      ),
      true,
    ),
    force: v.optional(
      described(
        docs(
          'Neither a night that lasts five minutes, nor a failed backup, nor a start that creates a new farm, prevents it; false unless given.',
        ),
        yesOrNo('force'),
      ),
      false,
    ),
    reason: v.exactOptional(v.pipe(v.string(aReason), v.minLength(1, aReason), v.maxLength(200, aReason))),
  }),
)
export type HostRequest = v.InferOutput<typeof hostRequest>

const { force: _, ...ofEveryOperation } = hostRequest.entries
export const loadRequest = described(
  docs('How the game is stopped for a save that its next start loads.'),
  v.strictObject(ofEveryOperation),
)
