/** The chat with many lines, and the unread count. */

import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import type { Scope } from '../../handlers/key-holder.ts'
import { askWithKey } from '../contract/request.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { expectAccessible, expectGood, openPage } from './open-page.ts'
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
  const { json } = await askWithKey(server, 'POST', '/keys', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'a key of this test', scopes }),
  })
  const { page } = await openPage(browser, `${server.url}/#key=${(json as { key: string }).key}`)
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
