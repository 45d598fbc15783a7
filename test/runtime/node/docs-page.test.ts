/** `/docs` in a real browser. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { launchBrowser, type RunningBrowser } from '../../browser.ts'
import { ownServer } from '../../contract/shared-server.ts'
import { nodeServer } from './node-server.ts'

let running: RunningBrowser
beforeAll(async () => {
  running = await launchBrowser()
}, 120_000)
afterAll(() => running.close())

/** A page, the addresses it asked for, and what its console complained of. */
async function openPage(url: string) {
  const page = await running.browser.newPage({ viewport: { width: 1280, height: 1000 } })
  onTestFinished(() => page.close())
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (asking) => asked.push(asking.url()))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(url, { waitUntil: 'networkidle' })
  return { page, asked, complaints }
}

/** Opens an operation of the reference and executes it. @returns the status it was answered with */
async function tryOut(page: Page, operationId: string): Promise<string | null> {
  const operation = page.locator(`[id$="-${operationId}"]`)
  await operation.locator('.opblock-summary-control').first().click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  const status = operation.locator('.live-responses-table .response-col_status').nth(1)
  await status.waitFor({ timeout: 20_000 })
  return status.textContent()
}

/** An HTTPS proxy's way with paths: what comes under the prefix goes on without it. */
async function strippingProxy(prefix: string, target: number): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end()
      return
    }
    const path = incoming.url.slice(prefix.length)
    const { method, headers } = incoming
    const onward = request({ host: '127.0.0.1', port: target, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`
}

describe('the reference page', () => {
  test('draws every operation, asks no other host, and nothing offends its policy', async () => {
    const server = await ownServer(nodeServer)
    const { page, asked, complaints } = await openPage(`${server.url}/docs`)
    await page.locator('.opblock').first().waitFor()
    expect(await page.locator('.opblock').count()).toBeGreaterThanOrEqual(14)
    expect(await page.locator('.info .title').textContent()).toContain('farmgate control API')
    expect(
      new Set(
        asked
          .map((url) => new URL(url))
          .filter(({ protocol }) => protocol !== 'data:')
          .map(({ origin }) => origin),
      ),
    ).toEqual(new Set([new URL(server.url).origin]))
    expect(complaints).toEqual([])
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined) await page.screenshot({ path: `${folder}/docs.png` })
  })

  test('Try it out executes GET /status', async () => {
    const server = await ownServer(nodeServer)
    const { page, complaints } = await openPage(`${server.url}/docs`)
    expect(await tryOut(page, 'getStatus')).toContain('200')
    expect(complaints).toEqual([])
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined) await page.screenshot({ path: `${folder}/try-it-out.png` })
  })

  test('Try it out with the key executes GET /players', async () => {
    const server = await ownServer(nodeServer)
    const { page } = await openPage(`${server.url}/docs`)
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('.auth-container input').fill(server.key)
    await page.locator('.auth-btn-wrapper button[type=submit]').click()
    await page.locator('.btn-done').click()
    expect(await tryOut(page, 'getPlayers')).toContain('200')
  })

  test('works under API_BASE_PATH, behind a proxy that takes the path away and one that leaves it', async () => {
    const server = await nodeServer({ basePath: '/farm' })
    onTestFinished(() => server.stop())
    for (const url of [await strippingProxy('/farm', server.port), server.url]) {
      const { page, asked, complaints } = await openPage(`${url}/docs`)
      expect(await tryOut(page, 'getStatus')).toContain('200')
      for (const asking of asked)
        if (!asking.startsWith('data:')) expect(asking.startsWith(`${url}/`)).toBe(true)
      expect(complaints).toEqual([])
    }
  })

  test('works with a trailing slash', async () => {
    const server = await ownServer(nodeServer)
    const { page, complaints } = await openPage(`${server.url}/docs/`)
    await page.locator('.opblock').first().waitFor({ timeout: 5_000 })
    expect(complaints).toEqual([])
  })
})
