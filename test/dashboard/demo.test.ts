/** The page of `npm start`. */
import { expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { newFolder } from '../new-folder.ts'
import { programs } from '../programs.ts'
import { launch } from '../runtime/node/farmgate-process.ts'
import { eventually } from '../wait.ts'
import { openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

test('each view of the demo shows the word Demo, anyone can sign in with its Demo account, and a restore with players on warns them first', async () => {
  const demo = await launch([process.execPath, programs.demo], {
    DATA_DIR: '',
    TMPDIR: newFolder(),
    API_PORT: '0',
    SIM_SPEED: '10',
  })
  const [, url = ''] = await demo.said(/open at (http:\S+)/)
  const [, key = ''] = await demo.said(/for this run only: {2}(\S+)/)
  const { page } = await openView(browser, { url, key }, 'farm')
  const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
  await eventually(async () => expect(await links.count()).toBe(18))
  const mark = page.getByText('Demo', { exact: true }).filter({ visible: true })
  for (const link of await links.all()) {
    await link.click()
    await mark.first().waitFor()
  }
  await links.getByText('Backups').click()
  const farm = connect({ url, key })
  await eventually(async () => expect((await farm.players()).players).not.toEqual([]))
  const row = page.locator('.fold').nth(3)
  await row.locator('summary').click()
  await row.getByRole('button', { name: 'Restore…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type Junimo').fill('Junimo')
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await dialog.getByText('Restored: the farm continues on').waitFor()

  const someone = await browser.newPage()
  await someone.goto(`${url}/`)
  await someone.getByText('Demo', { exact: true }).waitFor()
  await someone.getByRole('button', { name: 'Demo account' }).click()
  await someone.getByRole('link', { name: 'Overview' }).waitFor()
  await someone.close()
})
