/**
 * The client's plain types are those of the endpoints. Compared by the compiler: `npm run check` fails on a difference.
 */
import { readFileSync } from 'node:fs'
import type * as v from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import type { CallOptions } from '../../client/call.ts'
import type { Calls } from '../../client/calls.ts'
import type { ErrorCode } from '../../client/index.ts'
import type { ChatLine, FarmEvent, Gap, Snapshots, Topic } from '../../client/messages.ts'
import type * as sent from '../../handlers/chat/messages.ts'
import type { AnyEndpoint } from '../../handlers/endpoints/all-endpoints.ts'
import type { LiveEvent } from '../../handlers/game-event.ts'
import type * as schemas from '../../handlers/game-records.ts'
import type { QueryOf } from '../../handlers/parameter.ts'
import type { ProblemCode } from '../../handlers/problem-table.ts'
import { sources } from '../../tools/client-source.ts'

/** The client's name for the call of an operation. */
type CallOf<Id extends string> = Id extends `get${infer Rest}` ? Uncapitalize<Rest> : Id
type RecordEndpoint = Extract<AnyEndpoint, { readonly result: v.GenericSchema }>
type Described = { [E in RecordEndpoint as CallOf<E['operationId']>]: E }

type Name = keyof Calls
type Nothing = Record<never, never>
type Answers = { [N in Name]: Awaited<ReturnType<Calls[N]>> }
type Results = {
  [N in Name]: Described[N] extends { readonly result: infer S extends v.GenericSchema }
    ? v.InferOutput<S>
    : never
}

type BodyOf<E> = E extends { readonly body?: { readonly schema: infer Schema extends v.GenericSchema } }
  ? Schema extends v.UndefinedSchema<undefined>
    ? never
    : v.InferInput<Schema>
  : never
/** Optional members may be undefined too: the client then omits them. One object type instead of an intersection. */
type Takes<T> = { -readonly [K in keyof T]: Nothing extends Pick<T, K> ? T[K] | undefined : T[K] }
/** Calls whose body is a file. */
type Uploads = 'uploadSave' | 'installMods'
type Sent = {
  [N in Name]: Takes<
    QueryOf<Described[N]['parameters']> &
      ([BodyOf<Described[N]>] extends [never] ? unknown : BodyOf<Described[N]>) &
      (N extends Uploads ? { content: Blob } : unknown)
  >
}
/** Calls whose parameters are each optional, but not all at once. */
type NeedsOne = 'deleteFarmhand' | 'grantAdmin' | 'changeSettings'
/** Parameters that are all optional can be omitted as a whole. */
type Given = {
  [N in Name]: keyof Sent[N] extends never
    ? Record<string, never> | undefined
    : Nothing extends Sent[N]
      ? N extends NeedsOne
        ? Sent[N]
        : Sent[N] | undefined
      : Sent[N]
}
type Taken = { [N in Name]: Flat<Parameters<Calls[N]>[0]> }
/** One object type instead of an intersection; every optional member stays optional, or undefined. */
type Flat<T> = T extends object ? (string extends keyof T ? T : { [K in keyof T]: T[K] }) : T

type LineSent = Parameters<typeof sent.chatMessage>
type GapSent = Parameters<typeof sent.gapMessage>
type EventSent<E extends LiveEvent> = E extends LiveEvent
  ? Takes<
      Omit<E, 'type'> & {
        type: 'event'
        topic: (typeof sent.topicOfEvent)[E['type']]
        event: E['type']
        eventSeq: number
        timestamp: string
      }
    >
  : never

/** A source without what `biome check` decides: blanks, quotes, brackets around one value, and ends of lines. */
const unformatted = (source: string) => source.replaceAll(/[\s;,|'"()]/g, '')

test.each(Object.entries(sources))('%s is what npm run generate writes', (file, source) => {
  const committed = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  expect(unformatted(committed)).toBe(unformatted(source()))
})

test('the answer of each call has exactly the type of the result', () => {
  expectTypeOf<Answers>().toEqualTypeOf<Results>()
})

test("each call takes exactly the endpoint's parameters, and the same ones are optional", () => {
  expectTypeOf<Taken>().toEqualTypeOf<Given>()
})

test('each call takes its options second', () => {
  expectTypeOf<{ [N in Name]: Parameters<Calls[N]>[1] }>().toEqualTypeOf<
    Record<Name, CallOptions | undefined>
  >()
})

test('topics, snapshots, events, chat lines and gaps have exactly the types of what the server sends', () => {
  expectTypeOf<Topic>().toEqualTypeOf<sent.Topic>()
  expectTypeOf<Snapshots>().toEqualTypeOf<{
    players: schemas.Players
    status: schemas.Status
    cabins: schemas.Cabins
  }>()
  expectTypeOf<Flat<FarmEvent>>().toEqualTypeOf<EventSent<LiveEvent>>()
  expectTypeOf<Flat<ChatLine>>().toEqualTypeOf<Takes<LineSent[0] & { type: 'chat'; seq: LineSent[1] }>>()
  expectTypeOf<Gap>().toEqualTypeOf<{ from: GapSent[0]; to: GapSent[1] }>()
})

test('the codes of errors are those of the server, and the four of the client', () => {
  expectTypeOf<ErrorCode>().toEqualTypeOf<
    ProblemCode | sent.ChatErrorCode | 'unreachable' | 'timeout' | 'bad_answer' | 'closed'
  >()
})
