/** The client of farmgate: docs/client.md. */
export type { CallOptions, Calls, Page, Person, Wait } from './calls.ts'
export { type ConnectOptions, connect, type Farm } from './connect.ts'
export { FarmgateError } from './error.ts'
export type { Live, LiveListeners, LiveOptions } from './live.ts'
export type { ChatLine, FarmEvent, Gap, LiveState, Snapshots, Topic } from './messages.ts'
export type { SayLine } from './outgoing-chat.ts'
export type * from './records.ts'
export type { Socket, SocketClass, SocketEvent } from './socket.ts'
