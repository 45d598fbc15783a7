/** The messages to Discord, ntfy and similar receivers. */
import { describe, expect, test } from 'vitest'
import { webhookRequest } from '../../../handlers/webhook-record.ts'
import { discordMessage } from '../../../services/webhooks/discord-message.ts'
import { eventually } from '../../wait.ts'
import { aListenedFarm, joins, says } from './a-notified-farm.ts'
import { status } from './a-receiver.ts'

const events = [...webhookRequest.entries.events.pipe[0].item.options]

/**
 * Whether Discord would accept the message
 * (https://discord.com/developers/docs/resources/message#embed-object-embed-limits).
 */
function keepsLimits({ content = '', embeds = [] }: DiscordBody): boolean {
  const isShort = ({ description, footer }: Embed) =>
    description.length <= 4096 &&
    footer.text.length <= 2048 &&
    description.length + footer.text.length <= 6000
  return content.length <= 2000 && embeds.every(isShort)
}
interface Embed {
  readonly description: string
  readonly footer: { readonly text: string }
}
interface DiscordBody {
  readonly content?: string
  readonly embeds?: readonly Embed[]
}

describe('discord', () => {
  async function toDiscord() {
    const { receiver, farm, id } = await aListenedFarm(undefined, undefined, { events, format: 'discord' })
    const allDelivered = (count: number) =>
      farm.eventuallyDeliveries(
        id,
        (all) => all.length === count && all.every(({ state }) => state === 'delivered'),
      )
    const messages = () => receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    return { receiver, farm, id, allDelivered, messages }
  }

  test('an event is an embed, with the farm and its time, and mentions no one', async () => {
    const { farm, allDelivered, messages } = await toDiscord()
    farm.emit(joins('Abby'))
    await allDelivered(1)
    expect(messages()).toEqual([
      {
        embeds: [
          {
            description: 'Abby joined',
            color: 0x57_f2_87,
            timestamp: '2026-11-21T12:00:00.000Z',
            footer: { text: 'Clover' },
          },
        ],
        allowed_mentions: { parse: [] },
      },
    ])
  })

  test('chat lines of two seconds go out in one message, in order, and mention no one', async () => {
    const { farm, id, allDelivered, messages } = await toDiscord()
    for (const line of ['one', 'two', 'three']) farm.emit(says(line))
    await farm.eventuallyDeliveries(id, (all) => all.length === 3)
    expect(messages()).toEqual([])
    await farm.pass(2)
    await allDelivered(3)
    expect(messages()).toEqual([
      {
        content: '**Abby**: one\n**Abby**: two\n**Abby**: three',
        flags: 4,
        allowed_mentions: { parse: [] },
      },
    ])
  })

  test('a message has at most 2,000 characters: further lines go into the next', async () => {
    const { farm, id, allDelivered, messages } = await toDiscord()
    for (let line = 0; line < 10; line += 1) farm.emit(says(`${line}${'x'.repeat(449)}`))
    await farm.eventuallyDeliveries(id, (all) => all.length === 10)
    await farm.pass(2)
    await allDelivered(10)
    const contents = messages().map(({ content }) => String(content))
    expect(contents.every(({ length }) => length <= 2000)).toBe(true)
    expect(
      contents.flatMap((content) => content.split('\n').map((line) => line.slice(10, 11))).join(''),
    ).toBe('0123456789')
    expect(contents).toHaveLength(3)
  })

  test('a player whose name has 5,000 characters delays nothing: each text keeps the limits of Discord', async () => {
    const { receiver, farm, id, allDelivered, messages } = await toDiscord()
    receiver.answers((response, { body }) => status(keepsLimits(JSON.parse(body)) ? 204 : 400)(response))
    const name = '*'.repeat(5000)
    farm.game.status = { ...farm.game.status, farmName: name }
    farm.emit(joins(name))
    farm.emit(says('hello', name))
    farm.emit(joins('Sam'))
    await farm.eventuallyDeliveries(id, (all) => all.length === 3)
    await farm.pass(2)
    await allDelivered(3)
    expect(messages()).toHaveLength(3)
    expect(String(messages()[1]?.['content'])).toMatch(/: hello$/)
  })

  test('a farm with such a long name keeps the limits of an embed too', () => {
    const data = JSON.stringify({ farmName: '*'.repeat(5000), playerId: 7, name: '*'.repeat(5000) })
    const base = { id: 1, madeAt: 0, isSingle: false, tries: 0, dueAt: 0 }
    const { body } = discordMessage([{ ...base, event: 'player.joined', data }])
    expect(keepsLimits(JSON.parse(body))).toBe(true)
  })

  test('404 disables the webhook, because Discord no longer has it', async () => {
    const { receiver, farm, id } = await toDiscord()
    receiver.answers(status(404, {}, '{"message":"Unknown Webhook","code":10015}'))
    farm.emit(joins('Abby'))
    const [one] = await farm.eventuallyDeliveries(id, ([first]) => first?.state === 'failed')
    expect(one).toMatchObject({ status: 404, error: 'gone' })
    await eventually(async () => expect((await farm.port.webhooks())[0]?.disabledAt).toBeDefined())
  })

  test('a chat line that Discord refuses fails alone: the lines before and after it are delivered', async () => {
    const { receiver, farm, id, messages } = await toDiscord()
    receiver.answers((response, { body }) => status(body.includes('odd') ? 400 : 204)(response))
    for (const line of ['one', 'odd', 'two']) farm.emit(says(line))
    await farm.eventuallyDeliveries(id, (all) => all.length === 3)
    await farm.pass(2)
    await farm.eventuallyDeliveries(id, (all) => all.every(({ tries }) => tries === 1))
    await farm.pass(6)
    const all = await farm.eventuallyDeliveries(id, (all) => all.every(({ state }) => state !== 'waiting'))
    expect(all.map(({ state }) => state)).toEqual(['delivered', 'failed', 'delivered'])
    expect(
      messages()
        .map(({ content }) => content)
        .slice(1),
    ).toEqual(['**Abby**: one', '**Abby**: odd', '**Abby**: two'])
  })

  test('a line that is longer than a message is cut', async () => {
    const { farm, id, allDelivered, messages } = await toDiscord()
    farm.emit(says('🌱*'.repeat(1000)))
    await farm.eventuallyDeliveries(id, (all) => all.length === 1)
    await farm.pass(2)
    await allDelivered(1)
    const content = String(messages()[0]?.['content'])
    expect([content.length, content.endsWith('…'), content.isWellFormed()]).toEqual([2000, true, true])
  })

  test('an event between chat lines keeps its place', async () => {
    const { farm, id, allDelivered, messages } = await toDiscord()
    farm.emit(says('before'))
    farm.emit(joins('Sam'))
    farm.emit(says('after'))
    await farm.eventuallyDeliveries(id, (all) => all.length === 3)
    await farm.pass(2)
    await allDelivered(3)
    expect(messages().map((message) => ('content' in message ? message['content'] : 'embed'))).toEqual([
      '**Abby**: before',
      'embed',
      '**Abby**: after',
    ])
  })

  test("players' texts have no effect: no mention, no mark, no link, no second line", async () => {
    const { farm, id, allDelivered, messages } = await toDiscord()
    farm.emit(says('@everyone <@1> **b** [x](http://evil.example)\n# `y`', '_Sam_'))
    farm.emit(joins('@here'))
    await farm.eventuallyDeliveries(id, (all) => all.length === 2)
    await farm.pass(2)
    await allDelivered(2)
    const [chat, joined] = messages()
    expect(chat?.['content']).toBe(
      '**\\_Sam\\_**: \\@everyone \\<\\@1\\> \\*\\*b\\*\\* \\[x\\]\\(http://evil.example\\) \\# \\`y\\`',
    )
    expect(joined?.['embeds']).toMatchObject([{ description: '\\@here joined' }])
  })

  test("Discord's rate limit is obeyed, and the same lines are sent again", async () => {
    const { receiver, farm, id, allDelivered, messages } = await toDiscord()
    receiver.answers(
      status(429, {}, '{"message":"You are being rate limited.","retry_after":3,"global":false}'),
    )
    farm.emit(says('one'))
    await farm.eventuallyDeliveries(id, (all) => all.length === 1)
    await farm.pass(2)
    await farm.eventuallyDeliveries(id, ([first]) => first?.status === 429)
    receiver.answers(status(204))
    await farm.pass(2)
    expect(messages()).toHaveLength(1)
    await farm.pass(1)
    await allDelivered(1)
    expect(messages()[1]).toEqual(messages()[0])
  })
})

test('text: the sentence is the body, the farm is the title', async () => {
  const { receiver, farm } = await aListenedFarm(undefined, undefined, { events, format: 'text' })
  farm.emit(says('hello'))
  await expect
    .poll(() => receiver.received)
    .toMatchObject([
      { body: 'Abby: hello', headers: { title: 'Clover', 'content-type': 'text/plain; charset=utf-8' } },
    ])
})

test('text: a non-ASCII farm name is encoded by RFC 2047, which ntfy reads', async () => {
  const { receiver, farm } = await aListenedFarm(undefined, { farmName: () => '草' }, { format: 'text' })
  farm.emit(joins('Abby'))
  await expect
    .poll(() => receiver.received)
    .toMatchObject([{ body: 'Abby joined', headers: { title: '=?UTF-8?B?6I2J?=' } }])
})

test.each([
  ['player.left', { playerId: 7n, name: 'Abby' }, 'Abby left'],
  ['day.started', { day: 5, season: 'spring', year: 2 }, 'A new day: spring 5, year 2'],
  ['farm.online', {}, 'The game server is back'],
  ['farm.away', { since: '2026-11-21T12:00:00.000Z' }, 'The game server does not answer'],
  [
    'farm.stuck',
    { state: 'stuck', since: '2026-11-21T12:00:00.000Z' },
    'The night has not ended for five minutes',
  ],
  [
    'farm.stuck',
    { state: 'recovered', since: '2026-11-21T12:00:00.000Z' },
    'The night has ended: the game continues',
  ],
  ['backup.failed', { reason: 'the disk is full' }, 'A backup failed: the disk is full'],
  ['token.expiring', { daysRemaining: 1 }, 'The Steam sign-in ends in 1 day'],
  ['key.throttled', { address: '192.0.2.7' }, 'Too many wrong keys from 192.0.2.7'],
] as const)('%s as a sentence', async (event, data, words) => {
  const { receiver, farm } = await aListenedFarm(undefined, undefined, { events, format: 'text' })
  farm.webhooks.notify(event, data as never)
  await eventually(() => expect(receiver.received.map(({ body }) => body)).toEqual([words]))
})
