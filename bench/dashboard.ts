/** The dashboard in Chromium: how soon it shows current data, what it loads, and how long it keeps the browser busy. */
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/browser.ts'
import { nodeServer } from '../test/runtime/node/node-server.ts'
import { median, printTable, startSubject } from './measure.ts'

const rounds = 6
/** Milliseconds from the request of the page to the day of the farm on it. */
const firstContent = 250
/** Bytes of the page and the files of its first load, as a proxy compresses them. */
const firstBytes = 45_000
/** Milliseconds from which Chromium counts a task as long. */
const longest = 50
/** Chat lines a minute, and for how many seconds. */
const [pace, seconds] = [500, 12]

interface Load {
  readonly milliseconds: number
  readonly longTask: number
  readonly shift: number
}

/** Runs in the page before its own scripts. */
const listen = () => {
  const seen = { milliseconds: 0, longTask: 0, shift: 0 }
  Object.assign(window, { seen })
  const observe = (type: string, each: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true })
  observe('longtask', ({ duration }) => {
    seen.longTask = Math.max(seen.longTask, duration)
  })
  observe('layout-shift', (entry) => {
    if ('value' in entry && typeof entry.value === 'number') seen.shift += entry.value
  })
  // Only the server knows the day of the farm.
  new MutationObserver(() => {
    if (seen.milliseconds > 0) return
    if (!/year \d/.test(document.querySelector('.scene .date')?.textContent ?? '')) return
    requestAnimationFrame(() => {
      seen.milliseconds = performance.now()
      console.log('seen')
    })
  }).observe(document, { childList: true, subtree: true, characterData: true, attributes: true })
}

async function open(browser: Browser, address: string) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'en-US' })
  await context.addInitScript(listen)
  const page = await context.newPage()
  // A function that waits in the page would be compiled there during the load.
  const shown = page.waitForEvent('console', (message) => message.text() === 'seen')
  await page.goto(address)
  await shown
  return { page, seen: () => page.evaluate(() => (window as unknown as { seen: Load }).seen), context }
}

/** Bytes with gzip of everything that a page loads before its first live content, except the API's answers. */
async function bytesOf(page: Page, url: string, { milliseconds }: Load): Promise<number> {
  const loaded = (until: number) =>
    performance
      .getEntriesByType('resource')
      .filter(({ startTime }) => startTime < until)
      .map(({ name }) => name)
  const files = await page.evaluate(loaded, milliseconds)
  let sum = 0
  for (const file of [`${url}/`, ...files.filter((name) => name.includes('/assets/'))])
    sum += gzipSync(await (await fetch(file)).bytes()).byteLength
  return sum
}

const server = await nodeServer()
const { browser, close } = await launchBrowser()
try {
  const bare = await startSubject(new URL('subjects/bare-page.ts', import.meta.url))
  const address = `${server.url}/#key=${server.key}`
  const bareAddress = `http://127.0.0.1:${await bare.call<number>('port')}/`
  const loads: Load[] = []
  const bareLoads: Load[] = []
  for (let round = -1; round < rounds; round += 1)
    for (const [at, all] of [[address, loads] as const, [bareAddress, bareLoads] as const]) {
      const { seen, context } = await open(browser, at)
      // The first load also starts processes of Chromium, and does not count.
      if (round >= 0) all.push(await seen())
      await context.close()
    }
  await bare.stop()
  const times = loads.map(({ milliseconds }) => milliseconds)
  const ofBare = median(bareLoads.map(({ milliseconds }) => milliseconds))
  const { page, seen, context } = await open(browser, address)
  const bytes = await bytesOf(page, server.url, await seen())
  await page.evaluate(() => location.assign('#/chat'))
  await page.getByRole('log').waitFor()
  const speaker = { id: 6208260877024290921n, name: 'Abby' }
  await server.farm.join(speaker)
  await page.evaluate(() => {
    ;(window as unknown as { seen: { longTask: number } }).seen.longTask = 0
  })
  const lines = Math.round((pace / 60) * seconds)
  for (let line = 0; line < lines; line += 1) {
    await server.farm.say(speaker.id, `line ${line} of a talkative player`)
    await new Promise((resolve) => setTimeout(resolve, 60_000 / pace))
  }
  await page
    .getByRole('log')
    .getByText(`line ${lines - 1} of`)
    .waitFor()
  const chat = await seen()
  await context.close()
  const within = (value: number, most: number) => ({ bound: `≤ ${most}`, holds: value <= most })
  const middle = median(times)
  const task = Math.max(...loads.map(({ longTask }) => longTask))
  const shift = Math.max(...loads.map((load) => load.shift))
  printTable(`The dashboard on loopback, in Chromium, ${rounds} loads`, [
    {
      what: 'first live content, ms: median (spread)',
      measured: `${middle.toFixed(0)} (${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)})`,
      ...within(middle, firstContent),
      goal: '≤ 100',
      limit: `a bare page with one script and one value: ${ofBare.toFixed(0)}; Chromium starts a process for the isolated origin (25), compiles, runs and draws 43 kB`,
    },
    {
      what: 'first load with gzip, kB',
      measured: (bytes / 1000).toFixed(1),
      ...within(bytes / 1000, firstBytes / 1000),
    },
    { what: 'longest task of a load, ms', measured: task.toFixed(0) },
    { what: 'layout shift of a load', measured: String(shift), ...within(shift, 0) },
    {
      what: `longest task at ${pace} chat lines a minute, ms`,
      measured: chat.longTask === 0 ? 'none of 50 or more' : chat.longTask.toFixed(0),
      ...within(chat.longTask, longest),
    },
  ])
} finally {
  await close()
  await server.stop()
}
