/**
 * The tables of the `/ws` documents, in addition to its messages: what each error means, why a connection is closed,
 * and the limits. The AsyncAPI document is made from them, and a test compares docs/bot.md with them.
 */
import { maxLines, maxUnits } from '../chat-line.ts'
import { keyEnded, tooManyOfKey, unauthenticated } from './client-session.ts'
import { keptBytes, keptLines } from './history.ts'
import { authTimeout, chatLostWindow, offlineWindow, unauthenticatedPerAddress } from './limits.ts'
import { type ChatErrorCode, closeCodes, followable, maxMessageBytes } from './messages.ts'
import { type Rate, rates, replayCost } from './rates.ts'

interface Meaning {
  readonly cause: string
  readonly cure: string
}

export const errorMeanings: Readonly<Record<ChatErrorCode, Meaning>> = {
  malformed: {
    cause: 'The frame is not a JSON object with a text as `type`.',
    cure: 'Send one JSON object in each text frame.',
  },
  unknown_type: { cause: 'No message has this `type`.', cure: 'Compare with the table of messages.' },
  invalid_payload: {
    cause: 'A member of `payload` is missing or wrong, or the message is blank.',
    cure: 'Correct the message.',
  },
  message_too_long: {
    cause: `\`message\` has more than ${maxUnits.message} UTF-16 units.`,
    cure: 'Split it into several messages.',
  },
  rate_limited: {
    cause: 'The socket, or for lines the key, exceeds a limit below.',
    cure: 'Wait a second and send it again.',
  },
  game_unavailable: {
    cause: 'The game is offline. The line was not said, or there is no snapshot yet.',
    cure: 'Send the line again later; the snapshot follows automatically.',
  },
  outcome_unknown: {
    cause: 'The game server got the line, but its answer was lost.',
    cure: 'Check the chat before you send the line again.',
  },
  unknown_topic: { cause: 'No topic has this name.', cure: `Use ${followable.join(', ')}.` },
  insufficient_scope: {
    cause:
      'The key lacks `scope`: `chat` to say a line, `read` to subscribe (`admin` for `log`), `chat` or `read` to receive lines.',
    cure: 'Use a key that has the scope.',
  },
}

interface Closing extends Meaning {
  readonly code: number
  /** Empty when the frame carries none. */
  readonly reason: string
}

const reconnect = 'Connect again, with `since`.'

export const closings: readonly Closing[] = [
  { code: closeCodes.goingAway, reason: 'Server is stopping', cause: 'The server stops.', cure: reconnect },
  {
    code: closeCodes.protocolError,
    reason: '',
    cause: 'A frame is malformed.',
    cure: 'Follow RFC 6455.',
  },
  {
    code: closeCodes.unsupportedData,
    reason: 'Text frames only',
    cause: 'A frame is binary.',
    cure: 'Send text frames.',
  },
  { code: 1006, reason: '', cause: 'The connection broke, or two pings got no answer.', cure: reconnect },
  { code: 1007, reason: '', cause: 'A text is not UTF-8.', cure: 'Send UTF-8.' },
  {
    code: closeCodes.policyViolation,
    reason: 'Authentication failed',
    cause: 'The token is wrong; `auth_failed` comes first.',
    cure: 'Correct the token.',
  },
  {
    code: closeCodes.policyViolation,
    reason: 'Authenticate first',
    cause: 'The first message was not `auth`.',
    cure: 'Send `auth` first.',
  },
  {
    code: closeCodes.policyViolation,
    reason: 'Authentication timeout',
    cause: `No \`auth\` came within ${authTimeout / 1000} s.`,
    cure: 'Send `auth` as soon as the socket is open.',
  },
  {
    code: closeCodes.policyViolation,
    reason: 'Too many errors',
    cause: 'The client caused more errors than the limits below.',
    cure: 'Read the `error` messages.',
  },
  {
    code: closeCodes.policyViolation,
    reason: keyEnded,
    cause: 'The key was revoked, replaced or has expired.',
    cure: 'Use another key.',
  },
  {
    code: closeCodes.policyViolation,
    reason: 'The farm was deleted',
    cause: 'The operator of the edge deleted the farm.',
    cure: 'None.',
  },
  {
    code: 1009,
    reason: 'Message too long',
    cause: `A message exceeds ${maxMessageBytes / 1024} KiB. The farm sends no reason text.`,
    cure: 'Send less.',
  },
  {
    code: 1012,
    reason: 'The edge is restarting',
    cause: 'An instance of `edge:serve` ends.',
    cure: 'Connect again, with `since`.',
  },
  {
    code: closeCodes.tryAgainLater,
    reason: 'The game server is away',
    cause: `The game's chat, or at the edge the farm, has been lost for ${chatLostWindow / 1000} s, or the game has been silent for ${offlineWindow / 1000} s.`,
    cure: 'Connect again every few seconds, or send `since` to stay connected.',
  },
  {
    code: closeCodes.tryAgainLater,
    reason: tooManyOfKey,
    cause: 'The named key has a quarter of `WS_MAX_CLIENTS` open.',
    cure: 'Close others, or use another key.',
  },
  {
    code: closeCodes.tryAgainLater,
    reason: 'Too slow',
    cause: 'The client did not read for 10 s, or 1 MiB waited for it.',
    cure: reconnect,
  },
]

const rated = (rate: Rate) =>
  `${rates[rate].atOnce} at once, then ${rates[rate].perSecond} a second, for each socket`

/** What is limited, and the limit as text. */
export const limits: Readonly<Record<string, string>> = {
  'A message of the client': `${maxMessageBytes / 1024} KiB`,
  'Time from connecting to `auth`': `${authTimeout / 1000} s`,
  '`author`': `${maxUnits.author} UTF-16 units; a longer one is cut, a blank one becomes \`Anonymous\``,
  '`message`': `${maxUnits.message} UTF-16 units`,
  'One line in the game': `${maxUnits.line} UTF-16 units; a longer message becomes up to ${maxLines} lines`,
  'Lines said': `${rated('lines')}, and for all sockets of a named key`,
  '`ping`, protocol pings and pongs': `${rated('pings')}; before \`auth\`, ${unauthenticated.pings} in all`,
  'Further `auth`, and `subscribe`': `${rated('requests')}; an \`auth\` with a number in \`since\` counts as ${replayCost}`,
  'Errors other than `game_unavailable` and `outcome_unknown`': `${rated('errors')}; the next closes`,
  '`id` of a `chat_send`': 'a text of up to 64 UTF-16 units, or an integer up to 2^53',
  'Chat lines kept for `since`': `${keptLines}, at most ${keptBytes / 1024} KiB`,
  'Data that waits for a client': '1 MiB, for 10 s',
  'Clients at once': '`WS_MAX_CLIENTS` (2000); the next gets 503',
  'Unauthenticated clients of one address': `${unauthenticatedPerAddress}; the next gets 429`,
}
