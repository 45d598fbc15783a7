import { type Message, type Say, sayLines } from '../../handlers/chat/say.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { type KeyHolder, stillAllows } from '../../handlers/key-holder.ts'
import { statusOf } from '../../handlers/problem-table.ts'
import type { Audit } from './audit.ts'

/** The action of a message in the audit. */
export const sayAction = 'chat_send'

interface SayParts {
  readonly game: Pick<GameBridge, 'sendChat'>
  readonly audit: Pick<Audit, 'write'>
  /** The current holder of a key; undefined when it has ended. */
  readonly current: (holder: KeyHolder) => KeyHolder | undefined
  readonly newRequestId: () => string
}

/** Says messages, each with a row of the audit that has its author and length, never its text. */
export const auditedSay =
  ({ game, audit, current, newRequestId }: SayParts): Say =>
  async (message) => {
    const { holder, address, isCommand } = message
    const row = { requestId: newRequestId(), action: sayAction, address, ...(isCommand && { isCommand }) }
    const write = audit.write(row, current(holder) ?? holder, () => ({}))
    write.began(parametersOf(message))
    const notSaid = await sayLines(game, message, () => stillAllows(current(holder), 'chat'))
    if (notSaid?.code === 'outcome_unknown') await write.ended(statusOf('game_timeout'), true)
    else await write.ended(notSaid === undefined ? 200 : statusOf(notSaid.code), false)
    return notSaid
  }

const parametersOf = ({ author, lines, id }: Message) => ({
  author,
  length: lines.reduce((units, line) => units + line.length, 0),
  ...(id !== undefined && { id }),
})
