/** The view of the webhooks, with receivers on loopback (docs/dashboard.md). */

import { Webhook } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { aReceiver, status } from '../services/webhooks/a-receiver.ts'
import { eventually } from '../wait.ts'
import { livingFarm } from './living-farm.ts'
import { expectAccessible, expectGood, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const farm = await livingFarm({ story: 'steered' })
afterAll(() => farm.stop())

async function openWebhooks() {
  const opened = await openView(browser, farm, 'webhooks')
  await opened.page.getByLabel('URL of the receiver').waitFor()
  return opened
}

/** Makes one with the form. @returns the dialog that shows it */
async function make(page: Awaited<ReturnType<typeof openWebhooks>>['page'], url: string, format: string) {
  await page.getByLabel('URL of the receiver').fill(url)
  await page.getByLabel('Format').selectOption(format)
  await page.getByRole('button', { name: 'Create a webhook' }).click()
  return page.getByRole('dialog')
}

test('with one pasted URL and one test, joins appear in a channel of Discord', async () => {
  const receiver = await aReceiver()
  const opened = await openWebhooks()
  const { page } = opened
  const dialog = await make(page, receiver.url, 'discord')
  await expectAccessible(opened)
  await dialog.getByRole('button', { name: 'Send a test' }).click()
  await dialog.getByText('The test has arrived.').waitFor()
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] } })
  farm.game.controls.join({ name: 'Abby' })
  await eventually(() => receiver.received.some(({ body }) => body.includes('Abby')))
  await expectGood(opened)
})

test('the format follows from the URL unless another one is chosen', async () => {
  const { page } = await openWebhooks()
  for (const [url, format] of [
    ['https://discord.com/api/webhooks/1/token', 'discord'],
    ['https://ntfy.sh/my-farm', 'text'],
    ['https://hooks.example/junimo', 'standard'],
  ] as const) {
    await page.getByLabel('URL of the receiver').fill(url)
    expect([url, await page.getByLabel('Format').inputValue()]).toEqual([url, format])
  }
})

test('the secret is shown once, and is the one that signs the test', async () => {
  const receiver = await aReceiver()
  const { page } = await openWebhooks()
  const dialog = await make(page, receiver.url, 'standard')
  const secret = (await dialog.locator('.secret').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Send a test' }).click()
  await dialog.getByText('The test has arrived.').waitFor()
  const [sent] = receiver.received
  expect(() =>
    new Webhook(secret).verify(sent?.body ?? '', { ...sent?.headers } as Record<string, string>),
  ).not.toThrow()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText(secret).waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'Program' }).waitFor()
  expect(await page.getByText('whsec_').count()).toBe(0)
})

test('a test that does not arrive says why and what to do, and is listed among the deliveries', async () => {
  const receiver = await aReceiver()
  receiver.answers(status(404))
  const opened = await openWebhooks()
  const { page } = opened
  await page.getByLabel('Name').fill('Gone wrong')
  const dialog = await make(page, receiver.url, 'text')
  await dialog.getByRole('button', { name: 'Send a test' }).click()
  await dialog.getByText('The test did not arrive.').waitFor()
  await dialog.getByText('The receiver responded with HTTP 404.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  const row = page.locator('.fold').filter({ hasText: 'Gone wrong' })
  await row.locator('summary').click()
  await row.locator('.deliveries').getByText('The receiver responded with HTTP 404.').waitFor()
  await expectAccessible(opened)
  await expectGood(opened)
})

test('a delivery is sent again on request', async () => {
  const receiver = await aReceiver()
  const { page } = await openWebhooks()
  await page.getByLabel('Name').fill('Again')
  const dialog = await make(page, receiver.url, 'standard')
  await dialog.getByRole('button', { name: 'Close' }).click()
  farm.game.controls.join({ name: 'Robin' })
  await eventually(() => receiver.received.length === 1)
  const row = page.locator('.fold').filter({ hasText: 'Again' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Send again' }).click()
  await eventually(() => receiver.received.length === 2)
  expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id'])
})

test('an unreachable receiver disables its webhook, and the page says what to do', async () => {
  const receiver = await aReceiver()
  receiver.answers(status(410))
  const { page } = await openWebhooks()
  await page.getByLabel('Name').fill('Channel that is gone')
  const dialog = await make(page, receiver.url, 'text')
  await dialog.getByRole('button', { name: 'Send a test' }).click()
  await dialog.getByText('Create a new one there').waitFor()
  await page.reload()
  const row = page.locator('.fold').filter({ hasText: 'Channel that is gone' })
  await row.getByText('disabled').waitFor()
  await row.locator('summary').click()
  await row.getByText('Create a new webhook and delete this one.').waitFor()
})

test('an invalid URL is refused with an explanation, and nothing is made', async () => {
  const { page } = await openWebhooks()
  const before = await askWithKey(farm, 'GET', '/webhooks')
  await page.getByLabel('URL of the receiver').fill('ftp://hooks.example')
  await page.getByRole('button', { name: 'Create a webhook' }).click()
  await page.getByRole('alert').getByText('http:// or https:// address').waitFor()
  expect((await askWithKey(farm, 'GET', '/webhooks')).json).toEqual(before.json)
})

test('a webhook is deleted after a question', async () => {
  const receiver = await aReceiver()
  const { page } = await openWebhooks()
  await page.getByLabel('Name').fill('Short-lived')
  const dialog = await make(page, receiver.url, 'text')
  await dialog.getByRole('button', { name: 'Close' }).click()
  const row = page.locator('.fold').filter({ hasText: 'Short-lived' })
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  expect((await askWithKey(farm, 'GET', '/webhooks')).text).not.toContain('Short-lived')
})
