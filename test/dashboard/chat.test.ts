/** The chat with many lines, and the unread count. */
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { farmChat } from '../../handlers/chat/farm-chat.ts'
import { ChatHistory, keptLines } from '../../handlers/chat/history.ts'
import { chatMessage } from '../../handlers/chat/messages.ts'
import type { NumberedLine } from '../../handlers/game-event.ts'
import type { Scope } from '../../handlers/key-holder.ts'
import { makeKey } from '../contract/http/made-key.ts'
import { wireTo } from '../edge/wire.ts'
import { type NodeOptions, type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, isLive, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

const abby = { id: 6208260877024290921n, name: 'Abby' }

async function farmWithAbby(): Promise<NodeServer> {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  await server.farm.join(abby)
  return server
}

test.each<[string, Scope[]]>([
  ['of a key for the chat alone', ['chat']],
  ['of a key that also reads', ['read', 'chat']],
])('the unread count %s has only lines that were said since the page was opened', async (_, scopes) => {
  const server = await farmWithAbby()
  for (const line of ['one', 'two', 'three']) await server.farm.say(abby.id, line)
  const { key } = await makeKey(server, ...scopes)
  const { page } = await openPage(browser, `${server.url}/#key=${key}`)
  const chat = page.getByRole('navigation').getByRole('link', { name: 'Chat' })
  await page.getByText('Live', { exact: true }).waitFor()
  await server.farm.say(abby.id, 'four')
  await chat.getByText('1 new message').waitFor()
  await chat.click()
  await page.getByRole('log').getByText('four').waitFor()
  expect(
    await page
      .getByRole('log')
      .getByText(/^(one|two|three)$/)
      .count(),
  ).toBe(3)
  await chat.getByText('new message').waitFor({ state: 'detached' })
})

const linesInDocument = (page: Page) => page.locator('.said').count()
/** A window, the part ahead of it at both ends, and the last block, in lines. */
const mostInDocument = 350

test('10,000 lines scroll from end to end, and the document never has more than a few hundred of them', async () => {
  const server = await farmWithAbby()
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await page.getByRole('link', { name: 'Chat' }).click()
  const log = page.getByRole('log')
  for (let said = 0; said < 10_000; said += 1000) {
    for (let at = 0; at < 1000; at += 1) await server.farm.say(abby.id, `line ${said + at}`)
    await log.getByText(`line ${said + 999}`, { exact: true }).waitFor()
  }
  expect(await linesInDocument(page)).toBeLessThan(mostInDocument)
  const all = await log.evaluate((element) => element.scrollHeight)
  for (const part of [0.75, 0.5, 0.25, 0]) {
    await log.evaluate((element, top) => element.scrollTo(0, top), all * part)
    await eventually(async () => {
      const box = await log.boundingBox()
      const seen = await page.evaluate(
        ([x, y]) => document.elementFromPoint(x ?? 0, y ?? 0)?.closest('.said') !== null,
        [(box?.x ?? 0) + 60, (box?.y ?? 0) + (box?.height ?? 0) / 2],
      )
      expect(seen).toBe(true)
    })
    expect(await linesInDocument(page)).toBeLessThan(mostInDocument)
  }
  await eventually(async () => {
    await log.evaluate((element) => element.scrollTo(0, 0))
    expect(await log.getByText('line 0', { exact: true }).isVisible()).toBe(true)
  })
  await expectAccessible(opened)
  await expectGood(opened)
})

test('a new line changes only the last block of lines', async () => {
  const server = await farmWithAbby()
  const { page } = await openPage(browser, `${server.url}/#key=${server.key}`)
  await page.getByRole('link', { name: 'Chat' }).click()
  for (let at = 0; at < 120; at += 1) await server.farm.say(abby.id, `line ${at}`)
  await page.getByRole('log').getByText('line 119', { exact: true }).waitFor()
  // All three blocks are near enough to be drawn, the upper ones in a frame after the last.
  await eventually(async () => expect(await linesInDocument(page)).toBe(120))
  await page.evaluate(() => {
    const changed: string[] = []
    Object.assign(window, { changed })
    const log = document.querySelector('.log')
    const last = log?.querySelector('.block:last-of-type') ?? null
    if (log === null) throw new Error('There is no chat')
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records)
        changed.push(last?.contains(target) === true ? `last: ${addedNodes.length}` : target.nodeName)
    }).observe(log, { childList: true, subtree: true, attributes: true, characterData: true })
  })
  await server.farm.say(abby.id, 'one more')
  await page.getByRole('log').getByText('one more').waitFor()
  expect(await page.evaluate(() => 'changed' in window && window.changed)).toEqual(['last: 1'])
})

const robin = { id: 6208260877024290922n, name: 'Robin' }

async function farmWithBoth(options?: NodeOptions) {
  const server = await nodeServer(options)
  onTestFinished(() => server.stop())
  await server.farm.join(abby)
  await server.farm.join(robin)
  return server
}

const gap = 'Messages may be missing here: farmgate was not connected, or no longer keeps them.'

const heard = (seq: number, timestamp: string): NumberedLine => {
  const line = { playerName: abby.name, message: `line ${seq}`, timestamp }
  return { seq, text: chatMessage(line, seq) }
}

test('in both languages each day begins with its name, at midnight of this device, also after missing lines', async () => {
  // The page is in Berlin, an hour ahead of UTC.
  const kept = [heard(1, '2026-03-01T22:10:00.000Z'), heard(2, '2026-03-01T22:20:00.000Z')]
  const lines = new ChatHistory(10, kept)
  for (const timestamp of ['2026-03-01T22:59:00.000Z', '2026-03-01T23:01:00.000Z'])
    lines.add((seq) => heard(seq, timestamp).text)
  const chat = farmChat({ subscribe: () => () => {} }, lines)
  const server = await farmWithBoth({ server: { chat } })
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await page.locator('nav a[href="#/chat"]').click()
  const rows = page.getByRole('log').locator('.day, .gap, .said p')
  for (const [language, sunday, monday, missing] of [
    ['en', 'Sunday, March 1', 'Monday, March 2', gap],
    ['zh', '3月1日星期日', '3月2日星期一', '此处可能缺少部分消息：当时未连接，或已不再保留。'],
  ] as const) {
    await page.locator('nav').getByRole('combobox').selectOption(language)
    await eventually(async () =>
      expect(await rows.allInnerTexts()).toEqual([
        sunday,
        'line 1',
        'line 2',
        missing,
        'line 10',
        monday,
        'line 11',
      ]),
    )
    await expectAccessible(opened)
  }
  await expectGood(opened)
})

const visit = (name: string, joinedAt: number) => ({
  id: joinedAt * 1000,
  playerId: 6208260877024290923n,
  name,
  joinedAt,
  seenAt: joinedAt,
  played: 0,
  joinPath: 'lan' as const,
})

test('lines that were said and players who joined while the page was offline follow once it reconnects, and a row marks missing lines', async () => {
  const server = await farmWithBoth()
  const wire = await wireTo(server.url)
  onTestFinished(() => wire.stop())
  const opened = await openPage(browser, `${wire.url}/#key=${server.key}`)
  const { page } = opened
  await page.getByRole('link', { name: 'Chat' }).click()
  const log = page.getByRole('log')
  const rows = log.locator('.gap, .said p')
  const withoutConnection = async (say: () => Promise<void>) => {
    await isLive(opened)
    wire.refuse(true)
    wire.cut()
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    await say()
    wire.refuse(false)
    await isLive(opened)
  }
  await server.farm.say(abby.id, 'before')
  await log.getByText('before').waitFor()
  await withoutConnection(async () => {
    await server.farm.say(abby.id, 'meanwhile')
    server.records.later.sessionBegan(visit('Carol', Date.now()))
  })
  await log.getByText('meanwhile').waitFor()
  await page
    .locator('.happening')
    .filter({ hasText: /Carol joined/ })
    .waitFor()
  expect(await rows.allInnerTexts()).toEqual(['before', 'meanwhile'])
  await withoutConnection(async () => {
    for (let at = 0; at < keptLines + 2; at += 1) await server.farm.say(abby.id, `line ${at}`)
  })
  await log.getByText(`line ${keptLines + 1}`, { exact: true }).waitFor()
  await eventually(async () => {
    await log.evaluate((element) => element.scrollTo(0, 0))
    expect((await rows.allInnerTexts()).slice(0, 5)).toEqual(['before', 'meanwhile', gap, 'line 2', 'line 3'])
  })
})

test('a join after midnight is below the name of its day', async () => {
  const lines = new ChatHistory(2, [heard(1, '2026-03-01T22:20:00.000Z')])
  lines.add((seq) => heard(seq, '2026-03-01T23:40:00.000Z').text)
  const server = await nodeServer({ server: { chat: farmChat({ subscribe: () => () => {} }, lines) } })
  onTestFinished(() => server.stop())
  server.records.later.sessionBegan(visit('Carol', Date.parse('2026-03-01T23:30:00.000Z')))
  const { page } = await openPage(browser, `${server.url}/#key=${server.key}`)
  await page.locator('nav a[href="#/chat"]').click()
  const rows = page.getByRole('log').locator('.day, .happening, .said p')
  await eventually(async () =>
    expect(await rows.allInnerTexts()).toEqual([
      'Sunday, March 1',
      'line 1',
      'Monday, March 2',
      'Carol joined 12:30 AM',
      'line 2',
    ]),
  )
})

test('a name has its own colour, the same in every line and view', async () => {
  const server = await farmWithBoth()
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  const coloursOf = (name: string) =>
    page
      .locator('main')
      .getByText(name, { exact: true })
      .evaluateAll((names) => names.map((element) => getComputedStyle(element).color))
  const onTheFarm = async ({ name }: typeof abby) => {
    await page.locator('main').getByText(name, { exact: true }).waitFor()
    const [colour, ...more] = await coloursOf(name)
    expect(more).toEqual([])
    return colour
  }
  const [ofAbby, ofRobin] = [await onTheFarm(abby), await onTheFarm(robin)]
  expect(ofAbby).not.toBe(ofRobin)
  await page.getByRole('link', { name: 'Chat' }).click()
  for (const { id } of [abby, robin, robin, abby]) await server.farm.say(id, 'a line')
  await eventually(async () => {
    expect(await coloursOf(abby.name)).toEqual([ofAbby, ofAbby])
    expect(await coloursOf(robin.name)).toEqual([ofRobin, ofRobin])
  })
})
