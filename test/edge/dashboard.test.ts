/** The dashboard through the real Worker: its pages, its live connection and its calls, at `/` and below `/farms/`. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { farmWithAccounts } from '../accounts/farm-with-accounts.ts'
import { expectGood, openPage } from '../dashboard/open-page.ts'
import { browser } from '../dashboard/shared-browser.ts'
import { type EdgeServer, edgeServer } from './edge-server.ts'
import { createFarm, fleetFarm } from './linked-farm.ts'

let server: EdgeServer
beforeAll(async () => {
  server = await edgeServer()
})
afterAll(async () => {
  await server.stop()
})

const abby = { id: 6208260877024290921n, name: 'Abby' }

test('at the edge a line is said and received, a joining player appears, and an offline farm comes back without a reload', async () => {
  const { page } = await openPage(browser, `${server.url}/#key=${server.key}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await server.farm.join(abby)
  await page.getByText('Abby').first().waitFor()
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await server.farm.say(abby.id, 'heard at the edge')
  await page.getByRole('log').getByText('heard at the edge').waitFor()
  await page.getByLabel('Message').fill('said at the edge')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('said at the edge').waitFor()
  server.farm.goOffline()
  await page.getByText('Game offline', { exact: true }).first().waitFor()
  server.farm.comeBack()
  await page.getByText('Live', { exact: true }).waitFor()
})

test('a person signs in at the edge, and the page is live with the session, also after a reload', async () => {
  const { issuer, front, server: edge, stop } = await farmWithAccounts((signIn) => edgeServer({ signIn }))
  onTestFinished(stop)
  issuer.person = { id: '1005', name: 'Evelyn', groups: ['elders'] }
  await edge.records.calls.setAccountGroups([{ provider: 'oidc', id: 'elders', scopes: ['read'] }])
  const { page } = await openPage(browser, `${front.url}/`)
  await page.getByRole('button', { name: 'Sign in with Valley ID' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('Signed in as Evelyn').waitFor()
})

/** Makes the farm clover of the fleet and links it; and daisy, which is not linked. @returns both, with their keys */
const fleetOf = async ({ url }: EdgeServer) => ({
  clover: await fleetFarm(url, 'clover'),
  daisy: await createFarm(url, 'daisy'),
})

test('a farm of a fleet has its dashboard below its own path, with its name in the fleet, and refuses the key of another farm', async () => {
  const { clover, daisy } = await fleetOf(server)
  const url = `${server.url}/farms/clover`
  const opened = await openPage(browser, `${url}/#key=${clover.apiKey}`)
  const { page, asked } = opened
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('.brand').getByText('clover', { exact: true }).waitFor()
  expect(await page.title()).toMatch(/ \(clover\)$/)
  await page.getByRole('link', { name: 'Audit', exact: true }).click()
  await page.locator('.fold').getByText('Create a farm at the edge').waitFor()
  expect(asked.filter((address) => !address.startsWith(`${url}/`))).toEqual([])
  await expectGood(opened)
  const other = await openPage(browser, `${url}/#key=${daisy.apiKey}`)
  await other.page.getByRole('alert').getByText('did not accept the key stored in this browser').waitFor()
})

test('under API_BASE_PATH the dashboards of the edge and of a farm of a fleet are live and request nothing above their path', async () => {
  const below = await edgeServer({ basePath: '/farm' })
  onTestFinished(() => below.stop())
  const { clover } = await fleetOf(below)
  const farms = [
    [below.url, below.key, below.bridge],
    [`${below.url}/farms/clover`, clover.apiKey, clover.game],
  ] as const
  for (const [url, key, played] of farms) {
    // Without the slash at its end, as a person types it.
    const opened = await openPage(browser, `${url}#key=${key}`)
    const { page, asked } = opened
    await page.getByText('Live', { exact: true }).waitFor()
    played.controls.join({ name: 'Abby' })
    await page.getByText('Abby').first().waitFor()
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByLabel('Message').fill('said below a path')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('said below a path').waitFor()
    await page.getByRole('link', { name: 'Doctor', exact: true }).click()
    await page.getByText('Running.').waitFor()
    expect(asked.filter((address) => address !== url && !address.startsWith(`${url}/`))).toEqual([])
    await expectGood(opened)
  }
})
