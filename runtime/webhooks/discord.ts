/** Messages of Discord (https://discord.com/developers/docs/resources/webhook#execute-webhook). */
import { cleaned } from '../../handlers/chat-line.ts'
import type { Delivery } from '../../handlers/webhook-record.ts'
import { withoutMarks as plain } from '../discord/marks.ts'
import type { WaitingDelivery } from '../records/deliveries-table.ts'
import { isoTime } from '../records/iso-time.ts'
import { farmOf, readEvent, wordsOf } from './event.ts'
import type { Message } from './post.ts'

/** UTF-16 units of one message. */
const maxContent = 2000
/** The line shows no previews of links that players write. */
const suppressEmbeds = 4

const green = 0x57_f2_87
const red = 0xed_42_45
const grey = 0x95_a5_a6
const colours: Readonly<Partial<Record<Delivery['event'], number>>> = {
  'player.joined': green,
  'farm.online': green,
  'farm.away': red,
  'farm.stuck': red,
  'backup.failed': red,
  'token.expiring': red,
  'key.braked': red,
}

/** Nobody is mentioned, whatever players write. */
const nobody = { allowed_mentions: { parse: [] } }

/** @returns the deliveries at the head of the queue that go out in one message: chat lines together, others alone */
export function bundleOf(waiting: readonly WaitingDelivery[]): readonly WaitingDelivery[] {
  const [first] = waiting
  if (first?.event !== 'chat.message') return waiting.slice(0, 1)
  let units = -1
  const end = waiting.findIndex((one, at) => {
    if (one.event !== 'chat.message') return true
    units += chatLine(one).length + 1
    return at > 0 && units > maxContent
  })
  return end < 0 ? waiting : waiting.slice(0, end)
}

/** @param bundle at least one */
export function discordMessage(bundle: readonly WaitingDelivery[]): Message {
  const body = bundle.every(({ event }) => event === 'chat.message')
    ? { content: bundle.map(chatLine).join('\n'), flags: suppressEmbeds, ...nobody }
    : { embeds: bundle.map(embed), ...nobody }
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

function chatLine({ data }: WaitingDelivery): string {
  const { playerName, message } = readEvent('chat.message', data)
  const line = `**${plain(cleaned(playerName))}**: ${plain(cleaned(message))}`
  return line.length <= maxContent ? line : `${line.slice(0, maxContent - 1).toWellFormed()}…`
}

const embed = ({ event, data, madeAt }: WaitingDelivery) => ({
  description: plain(wordsOf(event, data)),
  color: colours[event] ?? grey,
  timestamp: isoTime(madeAt),
  footer: { text: farmOf(event, data) },
})
