/** Messages of Discord (https://discord.com/developers/docs/resources/webhook#execute-webhook). */
import { cleaned } from '../../handlers/chat-line.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { Delivery } from '../../handlers/webhook-record.ts'
import { contentOf, maxContent, nobody, withoutMarks as plain, suppressEmbeds } from '../discord/message.ts'
import type { WaitingDelivery } from '../records/deliveries-table.ts'
import { farmOf, readEvent, wordsOf } from './event.ts'
import type { Message } from './post.ts'

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
  'key.throttled': red,
}

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
  return contentOf(`**${plain(cleaned(playerName))}**: ${plain(cleaned(message))}`)
}

const embed = ({ event, data, madeAt }: WaitingDelivery) => ({
  description: plain(wordsOf(event, data)),
  color: colours[event] ?? grey,
  timestamp: isoTime(madeAt),
  footer: { text: farmOf(event, data) },
})
