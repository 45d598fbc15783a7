/** The pictures of people who sign in: the view of accounts, and an invitation. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { farmWithAccounts } from '../accounts/farm-with-accounts.ts'
import { askWithKey } from '../contract/request.ts'
import { nodeServer } from '../runtime/node/node-server.ts'

/** Names, scopes, and hours since the sign-in. */
const people = [
  ['Robin', ['admin'], 2],
  ['Leah', ['read', 'chat'], 20],
  ['Sam', [], 1],
] as const

export async function takeAccounts(
  browser: Browser,
  look: BrowserContextOptions,
  take: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const { front, server, stop } = await farmWithAccounts((signIn) => nodeServer({ signIn }))
  const context = await browser.newContext({ ...look, locale: 'en-US', reducedMotion: 'reduce' })
  try {
    const { calls, keysChanged } = server.records
    for (const [name, scopes, hours] of people) {
      const person = { provider: 'discord', subject: name, name, groups: [] } as const
      const session = { id: name.toLowerCase(), digest: new Uint8Array(32), accountId: name.toLowerCase() }
      await calls.signIn(person, session, Date.now() - hours * 3_600_000)
      await calls.changeAccount(session.accountId, scopes)
    }
    await keysChanged()
    const made = await askWithKey(server, 'POST', '/invitations', {
      json: { scopes: ['read', 'chat'], uses: 5 },
    })
    const { url } = made.json as { readonly url: string }
    const page = await context.newPage()
    await page.goto(url)
    const dialog = page.getByRole('dialog', { name: 'You are invited' })
    await dialog.getByRole('button', { name: 'Sign in with Discord' }).waitFor()
    await take(page, 'invitation')
    await page.goto(`${front.url}/#key=${server.key}`)
    await page.reload()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.evaluate(() => location.assign('#/accounts'))
    await page.getByText('Leah').waitFor()
    await take(page, 'accounts')
  } finally {
    await context.close()
    await stop()
  }
}
