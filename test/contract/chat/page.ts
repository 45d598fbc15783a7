/** The conversations of docs/bot.md, run against the server. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../../lib/json.ts'
import { eventually } from '../../wait.ts'
import { type ChatClient, openChat } from '../chat-client.ts'
import { askWithKey } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const page = readFileSync(new URL('../../../docs/bot.md', import.meta.url), 'utf8')
const transcripts = Array.from(
  page.matchAll(/^```transcript (\w+)\n(.*?)^```/gms),
  ([, name = '', text = '']) => ({
    name,
    lines: text.trimEnd().split('\n'),
  }),
)

/** Numbers of one kind, on the page and here: the same distance apart. */
interface Numbering {
  shown: number
  here: number
}

export function pageContract({ start }: RuntimeUnderTest): void {
  describe('the conversations of docs/bot.md', () => {
    const server = sharedServer(start)
    beforeAll(() => allPlayersLeave(server()))
    const numberings = new Map<string, Numbering>()

    test('are found on the page', () => {
      expect(transcripts.map(({ name }) => name)).toEqual(['first', 'ids', 'resume', 'gap', 'live'])
    })

    test.each(transcripts)('are as shown: $name', async ({ lines }) => {
      const talk = { server: server(), client: await openChat(server()), heard: 0, numberings }
      for (const line of lines) {
        const what = line.slice(2)
        if (line.startsWith('→')) talk.client.send(toHere(talk, what))
        else if (line.startsWith('←')) await expectMessage(talk, what)
        else await happens(talk, what)
      }
      const { client, heard } = talk
      await client.settled()
      expect(client.messages().slice(heard)).toEqual([{ type: 'pong' }])
    })
  })
}

/** On the page Abby is alone. */
async function allPlayersLeave(server: ServerUnderTest): Promise<void> {
  const players = async () => v.parse(somePlayers, (await askWithKey(server, 'GET', '/players')).json).players
  for (const { id } of await players()) await server.farm.leave(BigInt(id))
  await eventually(async () => expect(await players()).toEqual([]))
}
const somePlayers = v.object({ players: v.array(v.object({ id: v.union([v.bigint(), v.number()]) })) })

interface Talk {
  readonly server: ServerUnderTest
  client: ChatClient
  /** Messages of the client that are already compared. */
  heard: number
  readonly numberings: Map<string, Numbering>
}

/** The events on the farm, by the sentences of the page. */
async function happens(talk: Talk, what: string): Promise<void> {
  const { farm } = talk.server
  const abby = 6_208_260_877_024_290_921n
  const [, said] = /^Abby says: (.*)$/.exec(what) ?? []
  const [, author, message] = /^the game shows: \(Web\) (\w+): (.*)$/.exec(what) ?? []
  if (said !== undefined) await farm.say(abby, said)
  else if (author !== undefined)
    await eventually(() => expect(farm.relayed().at(-1)).toEqual({ author, message }))
  else if (what === `Abby (${abby}) joins`) await farm.join({ id: abby, name: 'Abby' })
  else if (what === `Abby (${abby}) leaves`) await farm.leave(abby)
  else if (what === 'the connection breaks') {
    talk.client.ws.terminate()
    talk.client = await openChat(talk.server)
    talk.heard = 0
  } else expect.fail(`the test does not know what "${what}" is`)
}

/** Expects that the next message is the one on the page, except for its time and the start of its numbers. */
async function expectMessage(talk: Talk, shown: string): Promise<void> {
  const text = await eventually(() => talk.client.texts[talk.heard] ?? expect.fail(`no ${shown}`))
  talk.heard += 1
  expect(comparable(text, (kind, here) => here - begun(talk, kind, here, shown))).toEqual(
    comparable(shown, (kind, number) => number - (talk.numberings.get(kind)?.shown ?? number)),
  )
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['seq', 'lines'],
  ['to', 'lines'],
  ['since', 'lines'],
  ['eventSeq', 'events'],
])

/** A message as text, with numbers relative to the start of the numbering and the same time in every message. */
const comparable = (text: string, offset: (kind: string, number: number) => number): string =>
  stringifyJson(
    mapped(parseJson(text), (member, value) => {
      const kind = kinds.get(member)
      if (kind !== undefined && typeof value === 'number') return offset(kind, value)
      if (member === 'timestamp') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value))
      return member === 'version' ? typeof value : value
    }),
  )

/** Where a numbering begins here; the first number of a kind is the one on the page. */
function begun({ numberings }: Talk, kind: string, here: number, shown: string): number {
  const known = numberings.get(kind)
  if (known !== undefined) return known.here
  comparable(shown, (of, number) => {
    if (of === kind) numberings.set(kind, { shown: number, here })
    return number
  })
  return here
}

/** The messages of the page's client, with the key and the numbers of this server. */
const toHere = ({ server, numberings }: Talk, shown: string): string =>
  comparable(shown, (kind, number) => {
    const { shown: from, here } = numberings.get(kind) ?? expect.fail(`${kind} are not numbered yet`)
    return number - from + here
  }).replace('<API_KEY>', server.key)

/** @param change maps each member that is not an object or list */
function mapped(value: unknown, change: (member: string, value: unknown) => unknown, member = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, member))
  if (typeof value !== 'object' || value === null) return change(member, value)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, change, name)]))
}
