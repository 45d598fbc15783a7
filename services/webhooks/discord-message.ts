/** Messages of Discord (https://discord.com/developers/docs/resources/webhook#execute-webhook). */
import { cleaned } from '../../handlers/chat-line.ts'
import { isoTime } from '../../handlers/iso-time.ts'
import type { Delivery } from '../../handlers/webhook-record.ts'
import {
  contentOf,
  maxContent,
  noMentions,
  withoutMarks as plain,
  shortened,
  suppressEmbeds,
} from '../discord/message.ts'
import type { WaitingDelivery } from '../records/deliveries-table.ts'
import { farmOf, readEvent, wordsOf } from './event.ts'
import type { Message } from './message.ts'

/** UTF-16 code units of a player's name before a chat line. A longer name would leave no room for the line. */
const maxName = 100
/** Maximum of the description of an embed. */
const maxDescription = 4096
/** Discord takes 2,048, but description and footer together may have no more than 6,000. */
const maxFooter = 6000 - maxDescription

const green = 0x57_f2_87
const red = 0xed_42_45
const grey = 0x95_a5_a6
const colours: Readonly<Partial<Record<Delivery['event'], number>>> = {
  'player.joined': green,
  'farm.online': green,
  'game.crashed': red,
  'game.hung': red,
  'game.restarted': grey,
  'game.wrong_farm': red,
  'watchdog.gave_up': red,
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
    ? { content: bundle.map(chatLine).join('\n'), flags: suppressEmbeds, ...noMentions }
    : { embeds: bundle.map(embed), ...noMentions }
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

function chatLine({ data }: WaitingDelivery): string {
  const { playerName, message } = readEvent('chat.message', data)
  const name = plain(shortened(cleaned(playerName), maxName))
  return contentOf(`**${name}**: ${plain(cleaned(message))}`)
}

const embed = ({ event, data, madeAt }: WaitingDelivery) => ({
  description: shortened(plain(wordsOf(event, data)), maxDescription),
  color: colours[event] ?? grey,
  timestamp: isoTime(madeAt),
  footer: { text: shortened(farmOf(event, data), maxFooter) },
})
