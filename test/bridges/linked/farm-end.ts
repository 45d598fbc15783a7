/** The farm's end of a link with a steered farm: the test is the edge. The test moves the clock of both. */

import { ChatOutbox } from '../../../bridges/linked/farm-end/chat-outbox.ts'
import { farmConnection } from '../../../bridges/linked/farm-end/farm-connection.ts'
import { frameText } from '../../../bridges/linked/protocol.ts'
import type { Status } from '../../../handlers/game-records.ts'
import type { NamedKey } from '../../../lib/keys.ts'
import { memoryChat } from '../../handlers/chat/memory-chat.ts'
import { aFarm } from '../simulated/a-farm.ts'
import { servedCalls } from './calling-edge.ts'

interface Said {
  readonly type: string
  readonly id?: number
  readonly n?: number
  readonly next?: number
  readonly failure?: unknown
  readonly event?: { readonly type: string; readonly status?: Status }
}

/** @param keepsChat whether chat lines can be stored */
export async function farmEnd(keepsChat = true) {
  const { farm: game, clock } = aFarm({ seed: 'contract', story: 'steered' })
  game.controls.join({ id: 7n, name: 'Abby' })
  const said: Said[] = []
  const closed: [code: number, reason: string][] = []
  const socket = {
    buffered: 0,
    send: (text: string) => void said.push(JSON.parse(text.split('\n')[0] ?? '')),
    close: (code: number, reason: string) => void closed.push([code, reason]),
  }
  const chat = memoryChat(game, 1)
  const outbox = new ChatOutbox(chat, () => {})
  let named: readonly NamedKey[] | undefined
  let welcomes = 0
  const served = servedCalls(game, clock.now)
  const connection = farmConnection(socket, {
    game,
    ...served,
    outbox,
    log: undefined,
    keys: () => named,
    run: 'run of a test',
    status: await game.status(),
    keepsChat,
    onWelcome() {
      welcomes += 1
    },
    monotonic: clock.now,
  })
  chat.hear((event) => connection.event(event))
  const hear = (frame: Parameters<typeof frameText>[0]) => connection.receive(frameText(frame))
  return {
    game,
    said,
    closed,
    socket,
    chat,
    connection,
    hear,
    welcome: () => hear({ type: 'welcome', generation: 1, heard: 0, newest: 0 }),
    welcomes: () => welcomes,
    /** A key was made, changed or revoked. */
    setKeys(keys: readonly NamedKey[]) {
      named = keys
      connection.keysChanged()
    },
    types: () => said.map(({ type }) => type),
    events: () => said.flatMap(({ event }) => (event === undefined ? [] : [event.type])),
    lines: () => said.flatMap(({ type, n }) => (type === 'line' ? [n] : [])),
    pass(milliseconds: number) {
      clock.advance(milliseconds)
      connection.check()
    },
  }
}
