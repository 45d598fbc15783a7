/** The cause of an outage: one value, which every surface shows with the same sentence and next step. Pure. */
import * as v from 'valibot'
import { described, docs } from './described.ts'
import { isoTime } from './iso-time.ts'

const startIt = 'Start it: farmgate start, or the Process view.'

/** No address, no name of a machine and no secret: anyone may read them. */
const sentences = {
  connection_refused: ['The game server refuses the connection.', 'Start it, or correct GAME_API_URL.'],
  no_answer: ['The game server does not answer.', 'Look at its log, and restart it: farmgate restart.'],
  key_refused: [
    'The game server refuses GAME_API_KEY.',
    'Set it to the API_KEY of the game server, and restart farmgate.',
  ],
  not_its_api: ['Another program answers in place of the game server.', 'Correct GAME_API_URL.'],
  frozen: ['The game is frozen.', 'Look at its log, and restart it: farmgate restart.'],
  no_farm: ['The game has no farm loaded.', 'Wait until it has started; otherwise look at its log.'],
  ticket_service: [
    'The ticket service does not answer, or is not signed in to Steam.',
    'Check it and its sign-in: farmgate doctor.',
  ],
  clock: ['The clock of the farm is wrong.', 'Synchronize it with NTP.'],
  disk: ['farmgate cannot write to its disk.', 'Free disk space, and check the permissions of DATA_DIR.'],
  process_crashed: ['The game has crashed.', startIt],
  process_stopped: ['The game is stopped.', startIt],
  link_down: [
    'The farm is not connected to its edge.',
    'Start farmgate on its machine, and check EDGE_URL and EDGE_LINK_KEY.',
  ],
} as const satisfies Readonly<Record<string, readonly [message: string, next: string]>>

export type CauseCode = keyof typeof sentences
export const causeCodes = Object.keys(sentences) as [CauseCode, ...CauseCode[]]

/** `since`: milliseconds since 1970. */
export interface KnownCause {
  readonly code: CauseCode
  readonly since: number
}

export const causeSentence = (code: CauseCode) => ({ message: sentences[code][0], next: sentences[code][1] })

export const cause = described(
  docs('Why the farm cannot be played normally; missing while there is no problem.'),
  v.object({
    code: v.picklist(causeCodes),
    message: v.string(),
    next: described(docs('What to do.'), v.string()),
    since: v.pipe(v.string(), v.isoTimestamp()),
  }),
)
export type Cause = v.InferOutput<typeof cause>

/** As the API shows it. */
export const shownCause = ({ code, since }: KnownCause): Cause => ({
  code,
  ...causeSentence(code),
  since: isoTime(since),
})
