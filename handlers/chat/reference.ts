/**
 * The tables of the documents on `/ws`, besides its messages: what each error means, why a connection is closed, and
 * the limits. The AsyncAPI document is made from them, and a test compares docs/websocket.md with them.
 */
import { maxLines, maxUnits } from '../chat-line.ts'
import { keyEnded, tooManyOfKey, unauthenticated } from './client-session.ts'
import { keptBytes, keptLines } from './history.ts'
import { authTimeout, awayWindow, chatLostWindow, unauthenticatedPerAddress } from './limits.ts'
import { type ChatErrorCode, closeCodes, maxMessageBytes, topics } from './messages.ts'
import { type Rate, rates } from './rates.ts'

interface Meaning {
  readonly cause: string
  readonly cure: string
}

export const errorMeanings: Readonly<Record<ChatErrorCode, Meaning>> = {
  malformed: {
    cause: 'the frame is no JSON, or no object with a text as `type`',
    cure: 'send one JSON object in each text frame',
  },
  unknown_type: { cause: 'no message has this `type`', cure: 'compare with the table of messages' },
  invalid_payload: {
    cause: 'a member of `payload` is missing, of a wrong type or out of bounds, or the message is blank',
    cure: 'correct the message; sent again as it is, it fails again',
  },
  message_too_long: {
    cause: `\`message\` has more than ${maxUnits.message} UTF-16 units`,
    cure: 'cut it into several messages',
  },
  rate_limited: {
    cause:
      'more lines, pings, or messages `auth` and `subscribe` than the limits below, on this socket or, for lines, on all sockets of the key',
    cure: 'wait a second and send it again',
  },
  game_unavailable: {
    cause: 'the game server is not reachable; the line was not said, or there is no snapshot yet',
    cure: 'send the line again later; a snapshot follows by itself',
  },
  outcome_unknown: {
    cause: 'the line was handed to the game server and its answer was lost',
    cure: 'look whether the line stands in the game before you send it again',
  },
  unknown_topic: { cause: 'no topic has this name', cure: `use ${topics.join(', ')}` },
  insufficient_scope: {
    cause:
      'the key lacks `scope`: `chat` to say a line, `read` to subscribe, one of both to be sent chat lines',
    cure: 'use a key that has the scope (keys.md)',
  },
}

interface Closing extends Meaning {
  readonly code: number
  /** Empty when the frame carries none. */
  readonly reason: string
}

const reconnect = 'connect again after 5 s, with `since`'

export const closings: readonly Closing[] = [
  { code: closeCodes.goingAway, reason: 'Server is stopping', cause: 'the server stops', cure: reconnect },
  {
    code: closeCodes.protocolError,
    reason: '',
    cause: 'a malformed frame',
    cure: 'send frames as RFC 6455 has them',
  },
  {
    code: closeCodes.unsupportedData,
    reason: 'Text frames only',
    cause: 'a binary frame',
    cure: 'send text frames',
  },
  { code: 1006, reason: '', cause: 'the connection broke, or two pings went unanswered', cure: reconnect },
  { code: 1007, reason: '', cause: 'a text that is not UTF-8', cure: 'send UTF-8' },
  {
    code: closeCodes.policyViolation,
    reason: 'Authentication failed',
    cause: 'the token is wrong; `auth_failed` comes first',
    cure: 'correct the token',
  },
  {
    code: closeCodes.policyViolation,
    reason: 'Authenticate first',
    cause: 'the first message was not `auth`',
    cure: 'send `auth` first',
  },
  {
    code: closeCodes.policyViolation,
    reason: 'Authentication timeout',
    cause: `no \`auth\` within ${authTimeout / 1000} s`,
    cure: 'send `auth` as soon as the socket is open',
  },
  {
    code: closeCodes.policyViolation,
    reason: 'Too many errors',
    cause: 'more errors than the limits below',
    cure: 'read the `error` messages, and send no more than the limits',
  },
  {
    code: closeCodes.policyViolation,
    reason: keyEnded,
    cause: 'the key was revoked or replaced, or has expired',
    cure: 'use another key',
  },
  {
    code: closeCodes.policyViolation,
    reason: 'The farm was deleted',
    cause: 'the farm was deleted (edge)',
    cure: 'none',
  },
  {
    code: 1009,
    reason: 'Message too long',
    cause: `a message of more than ${maxMessageBytes / 1024} KiB; on Node without a reason`,
    cure: 'send less',
  },
  {
    code: closeCodes.tryAgainLater,
    reason: 'The game server is away',
    cause: `the game's chat was reset or refused ${chatLostWindow / 1000} s ago, or the game has not answered for ${awayWindow / 1000} s; and the client has used neither \`since\` nor \`subscribe\``,
    cure: 'connect again every few seconds, or send `since`',
  },
  {
    code: closeCodes.tryAgainLater,
    reason: tooManyOfKey,
    cause: 'the named key has a quarter of `WS_MAX_CLIENTS` open',
    cure: 'close others, or use another key',
  },
  {
    code: closeCodes.tryAgainLater,
    reason: 'Too slow',
    cause: 'the client did not read what it was sent for 10 s, or 1 MiB waited for it',
    cure: reconnect,
  },
]

const rated = (rate: Rate) =>
  `${rates[rate].atOnce} at once, then ${rates[rate].perSecond} a second, for each socket`

/** What is limited, and the limit in words. */
export const limits: Readonly<Record<string, string>> = {
  'a message of the client': `${maxMessageBytes / 1024} KiB`,
  'time from connecting to `auth`': `${authTimeout / 1000} s`,
  '`author`': `${maxUnits.author} UTF-16 units; a longer one is cut at a grapheme, a blank one is \`Anonymous\``,
  '`message`': `${maxUnits.message} UTF-16 units`,
  'one line in the game': `${maxUnits.line} UTF-16 units; a longer message is said in up to ${maxLines} lines`,
  'lines said': `${rated('lines')}; a named key has the same over all its sockets`,
  'messages `ping`, protocol pings and pongs': `${rated('pings')}; before \`auth\`, ${unauthenticated.pings} protocol pings and pongs`,
  'messages `auth` after the first, and `subscribe`': rated('requests'),
  'errors, but `game_unavailable` and `outcome_unknown`': `${rated('errors')}; the next closes the connection`,
  '`id` of a `chat_send`': 'a text of up to 64 UTF-16 units, or an integer that a double holds exactly',
  'chat lines kept for `since`': `${keptLines}, and at most ${keptBytes / 1024} KiB of them`,
  'what waits for a client': '1 MiB, for 10 s',
  'clients at once': '`WS_MAX_CLIENTS`, 2000 by default; the next is answered 503 before the handshake',
  'clients of one address that have yet to authenticate': `${unauthenticatedPerAddress} at once; the next is answered 429 before the handshake`,
}
