/** `/docs` in a real browser. */
import { createServer } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import * as v from 'valibot'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { fleetEndpoints } from '../../handlers/endpoints/fleet-endpoints.ts'
import { systemClock } from '../../lib/clock.ts'
import { stringifyJson } from '../../lib/json.ts'
import { otherPaths } from '../../runtime/documents/other-paths.ts'
import { clover } from '../backups/saved-farm.ts'
import { zippedSave } from '../backups/zipped-save.ts'
import { ask, askWithKey } from '../contract/request.ts'
import { passOn } from '../pass-on.ts'
import { portOf } from '../port-of.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { zipOf } from '../services/mods/farm-mods.ts'
import { browser } from './shared-browser.ts'

const described = v.object({
  paths: v.record(
    v.string(),
    v.record(
      v.string(),
      v.object({
        operationId: v.string(),
        tags: v.tuple([v.string()]),
        parameters: v.optional(
          v.array(
            v.object({
              in: v.string(),
              name: v.string(),
              schema: v.unknown(),
              example: v.optional(v.unknown()),
            }),
          ),
          [],
        ),
        requestBody: v.optional(
          v.object({
            content: v.record(v.string(), v.object({ example: v.optional(v.unknown()) })),
          }),
        ),
      }),
    ),
  ),
})

/** The types and formats that a schema allows: the page has one way to prefill each. */
const typesIn = (schema: unknown) => String(JSON.stringify(schema).match(/"(type|format)":"[^"]+"/g))

/** The page renders all operations of open sections again at each key and click. */
const closeSections = (page: Page) =>
  page.locator('.opblock-tag-section.is-open .opblock-tag').evaluateAll((open: HTMLElement[]) => {
    for (const section of open) section.click()
  })

/** The page with its sections closed, the number of its operations, the addresses that it requested, and the errors of its console. */
async function openReference(url: string, colorScheme: 'light' | 'dark' = 'light') {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, colorScheme })
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (asking) => asked.push(asking.url()))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${url}/docs`, { waitUntil: 'networkidle' })
  await page.locator('.opblock').first().waitFor()
  const count = await page.locator('.opblock').count()
  await closeSections(page)
  return { page, count, asked, complaints }
}

/** Opens an operation of the reference, alone, and executes it. @returns it and the status of the answer */
async function tryOut(page: Page, tag: string, operationId: string) {
  await closeSections(page)
  await page.locator(`.opblock-tag[data-tag="${tag}"]`).click()
  const operation = page.locator(`[id$="-${operationId}"]`)
  await operation.locator('.opblock-summary-control').first().click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  const status = operation.locator('.live-responses-table .response-col_status').nth(1)
  await status.waitFor({ timeout: 20_000 })
  return { operation, status: await status.textContent() }
}

async function authorize(page: Page, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  const form = page.locator('.auth-container form').filter({ hasText: 'The value of API_KEY' })
  await form.locator('input').fill(key)
  await form.locator('button[type=submit]').click()
  await form.locator('.btn-done').click()
}

// A simulated farm with players, as `npm start` starts it.
const game = simulatedFarm({ seed: 'docs', speed: 1, clock: systemClock, version: '1.0.0' })
const server = await nodeServer({ server: { game } })
const { page, count, asked, complaints } = await openReference(server.url)
await authorize(page, server.key)
afterAll(async () => {
  await page.close()
  await server.stop()
  await game.close()
})

/** A proxy that strips a path prefix before it forwards requests. */
async function strippingProxy(prefix: string, target: number): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith(`${prefix}/`))
      passOn(incoming, outgoing, target, incoming.url.slice(prefix.length))
    else outgoing.writeHead(404).end()
  })
  return `http://127.0.0.1:${await portOf(proxy)}${prefix}`
}

const numberOfOperations = endpoints.length + fleetEndpoints.length + otherPaths.length
const code = async (place: Locator) => (await place.textContent())?.replaceAll(/,\s+"/g, ',"')

describe('the reference page', () => {
  test('shows every operation, requests nothing from another host and violates no Content-Security-Policy', async () => {
    expect(count).toBe(numberOfOperations)
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
  })

  test('works under API_BASE_PATH, behind a proxy that strips the path and one that keeps it, follows the dark mode of the browser, and leads back to the page; answers and examples have every digit of an id', async () => {
    const server = await nodeServer({ basePath: '/farm', key: null, server: { game } })
    onTestFinished(() => server.stop())
    const behindProxy = await strippingProxy('/farm', server.port)
    for (const url of [behindProxy, server.url]) {
      const { page, asked, complaints } = await openReference(url, url === behindProxy ? 'light' : 'dark')
      onTestFinished(() => page.close())
      expect(await page.locator('.servers option').allTextContents()).toEqual([url])
      if (url === behindProxy) {
        const id = (await game.players()).players[0]?.id ?? expect.fail('no player is there')
        expect(BigInt(Number(id))).not.toBe(id)
        const { operation, status } = await tryOut(page, 'Players', 'getPlayers')
        expect(status).toContain('200')
        const body = operation.locator('.live-responses-table .highlight-code').first()
        expect(await code(body)).toContain(`"id": ${id},"idText": "${id}"`)
        expect(await code(operation.locator('.example').first())).toContain(
          '"id": 6208260877024290921,"idText": "6208260877024290921"',
        )
      } else {
        await page.locator('html.dark-mode').waitFor()
        await page.getByRole('link', { name: 'farmgate' }).first().click()
        await page.getByRole('navigation').waitFor()
        expect(page.url()).toBe(`${url}/`)
      }
      for (const asking of asked)
        if (!asking.startsWith('data:')) expect(asking.startsWith(`${url}/`)).toBe(true)
      expect(complaints).toEqual([])
    }
  })

  test('prefills only valid values, and every digit of an id: no operation is answered 400', {
    timeout: 240_000,
  }, async () => {
    const { json } = await ask(server, 'GET', '/openapi.json')
    const operations = Object.entries(v.parse(described, json).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
        query: operation.parameters.filter(({ in: place }) => place === 'query'),
      })),
    )
    expect(operations).toHaveLength(numberOfOperations)
    const ofFleet = new Set<string>(fleetEndpoints.map(({ operationId }) => operationId))
    // Those with the most kinds of values first: the page need not show many others.
    const prefilled = operations
      .filter(({ operationId }) => !ofFleet.has(operationId))
      .map(({ query, requestBody, ...operation }) => ({
        ...operation,
        query,
        requestBody,
        kinds: [...query.map(({ schema }) => typesIn(schema)), ...(requestBody ? ['body'] : [])],
      }))
      .filter(({ kinds }) => kinds.length > 0)
      .sort((one, other) => new Set(other.kinds).size - new Set(one.kinds).size)
    // The page cannot prefill a file, so the test sends one as a user would.
    const files: Readonly<Record<string, BodyInit>> = {
      uploadSave: await zippedSave(clover),
      installMods: Buffer.from(zipOf({ Alone: { id: 'A.Alone' } })),
    }
    const isGood = expect.stringMatching(/^(200|201|202|404|409|426|501)/)
    const seen = new Set<string>()
    for (const { operationId, tags, method, path, query, requestBody, kinds } of prefilled) {
      const hasId = operationId === 'rebindFarmhand'
      if (files[operationId] !== undefined || (!hasId && kinds.every((kind) => seen.has(kind)))) {
        // The page prefills the examples of the document, as those of the same kinds before have shown.
        const examples = query.flatMap(({ name, example }) =>
          example === undefined ? [] : [[name, String(example)]],
        )
        const [type = 'application/json', { example } = {}] =
          Object.entries(requestBody?.content ?? {})[0] ?? []
        const body = files[operationId] ?? (example === undefined ? undefined : stringifyJson(example))
        const { status } = await askWithKey(server, method, `${path}?${new URLSearchParams(examples)}`, {
          headers: { 'Content-Type': type },
          ...(body !== undefined && { body }),
        })
        expect([operationId, String(status)]).toEqual([operationId, isGood])
        continue
      }
      for (const kind of kinds) seen.add(kind)
      const { operation, status } = await tryOut(page, tags[0], operationId)
      expect([operationId, status]).toEqual([operationId, isGood])
      if (!hasId) continue
      const field = operation.locator('tr[data-param-name=playerId] input')
      expect(await field.inputValue()).toBe('6208260877024290921')
      expect(await operation.locator('.request-url').textContent()).toContain('playerId=6208260877024290921&')
    }
    // Chromium logs every answer with an error status; there may be no other errors.
    expect(complaints.filter((line) => !/server responded with a status of \d+/.test(line))).toEqual([])
  })
})
