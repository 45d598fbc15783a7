/** The messages to Discord, ntfy and similar receivers. */

import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { webhookRequest } from '../../../handlers/webhook-record.ts'
import { discordMessage } from '../../../services/webhooks/discord-message.ts'
import { eventually } from '../../wait.ts'
import { aListenedFarm, aNotifiedFarm, joins, says } from './a-notified-farm.ts'
import { namesAt, status } from './a-receiver.ts'

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

/** The receiver's library compares the time with the machine's own clock. */
const today = { now: Date.now }

test('a delivery is signed by Standard Webhooks: its library verifies it', async () => {
  const { receiver, farm, id, secret = '' } = await aListenedFarm(undefined, today)
  farm.emit(joins('Abby', 6_208_260_877_024_290_921n))
  await farm.eventuallyDeliveries(id, ([first]) => first?.state === 'delivered')
  const [{ body, headers, path } = { body: '', headers: {}, path: '' }] = receiver.received
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const library = new Webhook(secret)
  const sent = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
  )
  expect(library.verify(body, sent)).toMatchObject({ type: 'player.joined', data: { name: 'Abby' } })
  expect(() => library.verify(`${body} `, sent)).toThrow()
  expect(() => new Webhook('whsec_AAAA').verify(body, sent)).toThrow()
  expect([path, headers['content-type']]).toEqual(['/secret-path', 'application/json'])
})

test('the body has the type, the time of the event, and members with every digit of an id', async () => {
  const { receiver, farm } = await aListenedFarm()
  farm.emit({
    type: 'player_joined',
    player: {
      id: 6_208_260_877_024_290_921n,
      name: 'Abby',
      isOnline: true,
      connection: { joinPath: 'relay', identity: '76561198000000001' },
    },
  })
  await expect
    .poll(() => receiver.received.map(({ body }) => body))
    .toEqual([
      '{"type":"player.joined","timestamp":"2026-11-21T12:00:00.000Z","data":{"farmName":"Clover","playerId":6208260877024290921,"playerIdText":"6208260877024290921","name":"Abby","joinPath":"relay"}}',
    ])
})

test("webhook-id is the same in every attempt, and webhook-timestamp is the attempt's own", async () => {
  const { receiver, farm, id } = await aListenedFarm(status(500))
  farm.emit(joins('Abby'))
  await farm.eventuallyDeliveries(id, ([first]) => first?.tries === 1)
  await farm.pass(5)
  await farm.eventuallyDeliveries(id, ([first]) => first?.tries === 2)
  const [first, second] = receiver.received.map(({ headers }) => headers)
  expect(second?.['webhook-id']).toBe(first?.['webhook-id'])
  expect(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp'])).toBe(5)
  expect(first?.['webhook-id']).toBe(`msg_${(await farm.deliveriesOf(id))[0]?.id}`)
})

describe('429', () => {
  test.each([
    ['Retry-After in seconds', { 'Retry-After': '7' }, '', 7],
    ['Retry-After as a date', { 'Retry-After': 'Sat, 21 Nov 2026 12:01:00 GMT' }, '', 60],
    ["Discord's retry_after in the body", {}, '{"message":"limited","retry_after":2.5,"global":false}', 2.5],
    ['a Retry-After of more than a day is a day', { 'Retry-After': '999999' }, '', 86_400],
  ])(
    'with %s is obeyed, and does not count as one of the ten attempts',
    async (_what, headers, body, seconds) => {
      const { receiver, farm, id } = await aListenedFarm(status(429, headers, body))
      farm.emit(joins('Abby'))
      const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.status === 429)
      expect(first).toMatchObject({ tries: 0, state: 'waiting' })
      expect((Date.parse(first?.nextTryAt ?? '') - farm.clock.wall) / 1000).toBe(seconds)
      receiver.answers(status(200))
      await farm.pass(seconds)
      await farm.eventuallyDeliveries(id, ([one]) => one?.state === 'delivered')
    },
  )

  test('without a time is a failure like any other', async () => {
    const { farm, id } = await aListenedFarm(status(429, {}, 'slow down'))
    farm.emit(joins('Abby'))
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.status === 429)
    expect(first).toMatchObject({ tries: 1, nextTryAt: '2026-11-21T12:00:05.000Z' })
  })

  test('for five days ends a delivery', async () => {
    const { farm, id } = await aListenedFarm(status(429, { 'Retry-After': '86400' }))
    farm.emit(joins('Abby'))
    for (let day = 1; day <= 6; day += 1) {
      await eventually(() => expect(farm.outcomes.length).toBe(day))
      await farm.deliveriesOf(id)
      await farm.pass(86_400)
    }
    await farm.eventuallyDeliveries(id, ([one]) => one?.state === 'failed')
  })
})

test('a Retry-After of another failure is the minimum wait', async () => {
  const { farm, id } = await aListenedFarm(status(503, { 'Retry-After': '60' }))
  farm.emit(joins('Abby'))
  const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 1)
  expect(first?.nextTryAt).toBe('2026-11-21T12:01:00.000Z')
})

describe('a test', () => {
  test('is sent once and at once, before pending ones', async () => {
    const { receiver, farm, id } = await aListenedFarm(status(500))
    farm.emit(joins('Abby'))
    await farm.eventuallyDeliveries(id, ([first]) => first?.tries === 1)
    const testId = await farm.port.testWebhook(id)
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.state === 'failed')
    expect(first).toMatchObject({ id: testId, event: 'test', tries: 1, status: 500, error: 'status' })
    expect(namesAt(receiver)).toEqual(['Abby', 'test'])
  })

  test('of an unknown webhook does not exist', async () => {
    expect(await aNotifiedFarm().port.testWebhook('nothing')).toBeUndefined()
  })
})

describe('a replay', () => {
  test('sends a delivery again with the same webhook-id and body', async () => {
    const { receiver, farm, id } = await aListenedFarm()
    farm.emit(joins('Abby'))
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.state === 'delivered')
    expect(await farm.port.replayDelivery(first?.id ?? '')).toBe(true)
    await eventually(() => expect(receiver.received.length).toBe(2))
    const [sent, again] = receiver.received
    expect(again?.headers['webhook-id']).toBe(sent?.headers['webhook-id'])
    expect(again?.body).toBe(sent?.body)
  })

  test('of a pending one tries its webhook now', async () => {
    const { receiver, farm, id } = await aListenedFarm(status(500))
    farm.emit(joins('Abby'))
    farm.emit(joins('Sam'))
    const [sam] = await farm.eventuallyDeliveries(id, (all) => all.length === 2 && all[1]?.tries === 1)
    receiver.answers(status(200))
    await farm.port.replayDelivery(sam?.id ?? '')
    await farm.eventuallyDeliveries(id, (all) => all.every(({ state }) => state === 'delivered'))
    expect(namesAt(receiver)).toEqual(['Abby', 'Abby', 'Sam'])
  })

  test('of an unknown one does not exist', async () => {
    expect(await aNotifiedFarm().port.replayDelivery('17')).toBe(false)
  })
})
