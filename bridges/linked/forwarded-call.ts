/**
 * A call of an endpoint that the edge forwards to the farm, which dispatches it again (bridges/linked/README.md,
 * "Forwarded calls"): the request to the farm, and its answer.
 */
import * as v from 'valibot'
import { begunWrite } from '../../handlers/audit-entry.ts'
import { chatId } from '../../handlers/chat/messages.ts'
import { type Message, notSaid, type Say } from '../../handlers/chat/say.ts'
import { maxLines } from '../../handlers/chat-line.ts'
import { abilities } from '../../handlers/game-abilities.ts'
import { chatAuthor, chatMessage } from '../../handlers/game-arguments.ts'
import { scopes } from '../../handlers/key-holder.ts'
import type { Problem } from '../../handlers/problem.ts'
import { auditRowWithin } from '../../handlers/records.ts'
import type { Stream } from '../../handlers/stream.ts'
import { listOf } from '../../lib/foreign/read.ts'
import { maxHeadBytes, maxUrlBytes } from '../../lib/request-size.ts'

/** The names of the calls of the link, next to those in `calls.ts`. */
export const forwarding = {
  /** Dispatches an endpoint. */
  dispatch: 'dispatch',
  /** The next piece of the stream that answers a `dispatch`; its argument is the id of that call. */
  piece: 'piece',
  /** Which of these streams are open: its argument is the ids of their calls. */
  open: 'open',
  /** Says a message of a client of `/ws`. */
  say: 'say',
  /** One piece of the upload of a `dispatch`; answered when the endpoint has taken it. */
  put: 'put',
} as const

/** Maximum of bytes of a stream in one call: 256 KiB as base64. */
export const maxStreamPiece = 192 * 1024

/** Maximum of streams that are open over one link. */
export const maxOpenStreams = 256

const shortText = v.pipe(v.string(), v.maxLength(256))
/** No longer than all headers of a request together. */
const header = v.pipe(v.string(), v.maxLength(maxHeadBytes))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const { requestId, address, isCommand } = begunWrite.entries

/** Of a key at the edge; the farm reads a named key again. */
const keyHolder = v.object({
  id: shortText,
  name: shortText,
  scopes: v.pipe(listOf(v.picklist(scopes), scopes.length), v.readonly()),
  ref: shortText,
})

export const forwardedCall = v.object({
  operationId: shortText,
  /** The query as it was sent, without its `?`. */
  search: v.pipe(v.string(), v.maxLength(maxUrlBytes)),
  /** The body as text, of an endpoint that has one. */
  body: v.exactOptional(v.string()),
  /** The name of the upload that follows in pieces, of an endpoint that has one. */
  upload: v.exactOptional(shortText),
  holder: v.exactOptional(keyHolder),
  /** What the cookie of a sign-in that has begun holds. */
  attempt: v.exactOptional(shortText),
  from: v.object({ requestId, address, isCommand }),
  /** Missing for `HEAD`. */
  range: v.exactOptional(v.object({ range: v.optional(header), ifRange: v.optional(header) })),
  /** Discord sends its commands to the edge. */
  takesDiscord: v.boolean(),
})
export type ForwardedCall = v.InferOutput<typeof forwardedCall>

/** The answer of the farm's dispatcher, in the farm's process. */
export type FarmAnswer =
  | { readonly status: 200 | 201 | 202; readonly result: unknown }
  | { readonly stream: Stream }
  | { readonly problem: Problem }

/** The farm's dispatcher for its edge. */
export interface FarmDispatch {
  /** @returns undefined for an operation that this farm does not have, or does not answer over the link */
  effectOf(operationId: string): 'read' | 'write' | undefined
  /** @param over ends the wait of a long poll; a write that has begun continues */
  dispatch(call: ForwardedCall, over?: AbortSignal, upload?: ReadableStream<Uint8Array>): Promise<FarmAnswer>
  readonly say: Say
}

/** The argument of a `say`, within the bounds of the game's chat. */
export const forwardedMessage = v.object({
  author: v.pipe(v.string(), v.check(chatAuthor.accepts, `author must have ${chatAuthor.expected}`)),
  lines: v.pipe(
    v.array(v.pipe(v.string(), v.check(chatMessage.accepts, `a line must have ${chatMessage.expected}`))),
    v.minLength(1),
    v.maxLength(maxLines),
  ),
  holder: keyHolder,
  id: v.exactOptional(chatId),
  address,
  isCommand,
})

/** The budget of one call for each line, and of the row in the audit. */
export const sayLimits = ({ lines }: Pick<Message, 'lines'>) => ({
  effect: abilities.sendChat.effect,
  budget: lines.length * abilities.sendChat.budget + auditRowWithin,
  result: v.optional(notSaid),
})

const sentence = v.pipe(v.string(), v.maxLength(8192 + 1024))

const shownProblem = v.object({
  /** A newer farm may know more of them. */
  code: shortText,
  message: sentence,
  details: v.object({
    parameter: v.exactOptional(v.string()),
    scope: v.exactOptional(v.picklist(scopes)),
    path: v.exactOptional(v.string()),
    allow: v.exactOptional(v.string()),
    retryAfter: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(86_400))),
    bytes: v.exactOptional(count),
    isRepeatUnsafe: v.exactOptional(v.literal(true)),
    beside: v.exactOptional(v.custom<object>((value) => typeof value === 'object' && value !== null)),
  }),
})

/** The headers that a stream may have: another one of a hostile farm could harm the edge's other farms. */
const streamHeaders = v.object({
  'Accept-Ranges': v.exactOptional(shortText),
  ETag: v.exactOptional(shortText),
  'Content-Disposition': v.exactOptional(shortText),
  'Content-Range': v.exactOptional(shortText),
})

/** The answer to a `dispatch` over the link. */
export const forwardedAnswer = v.union([
  v.object({ status: v.picklist([200, 201, 202]), result: v.unknown() }),
  v.object({
    stream: v.object({
      id: count,
      status: v.picklist([200, 206]),
      headers: streamHeaders,
      bytes: v.exactOptional(count),
      /** Whose stream it is, where that is not the holder of the key. */
      holder: v.exactOptional(shortText),
      /** One of the endpoint's types. */
      type: v.exactOptional(shortText),
      /** With which it continues, where that is not the right of the key that was sent. */
      right: v.exactOptional(v.object({ holder: keyHolder, scope: v.optional(v.picklist(scopes)) })),
    }),
  }),
  v.object({ problem: shownProblem }),
])
export type ForwardedAnswer = v.InferOutput<typeof forwardedAnswer>

/** The answer to a `piece`; none at the end of the stream. */
export const streamPiece = v.optional(
  v.object({ base64: v.pipe(v.string(), v.maxLength((maxStreamPiece / 3) * 4), v.base64()) }),
)

/** Streams by the ids of their calls, in the argument of an `open` and in its answer. */
export const openIds = listOf(count, maxOpenStreams)

/** The argument of a `put`. `broken`: no more of the upload comes. */
export const uploadPiece = v.object({
  upload: shortText,
  base64: v.pipe(v.string(), v.maxLength((maxStreamPiece / 3) * 4), v.base64()),
  end: v.exactOptional(v.picklist(['whole', 'broken'])),
})
export type UploadPiece = v.InferOutput<typeof uploadPiece>
