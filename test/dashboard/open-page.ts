/** Pages of the dashboard in a real Chromium, with records of everything that a good page does not cause. */
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core'
import { expect, onTestFailed, onTestFinished } from 'vitest'

/** https://wicg.github.io/layout-instability/#sec-layout-shift */
interface LayoutShift extends PerformanceEntry {
  readonly value: number
  readonly hadRecentInput: boolean
  readonly sources: readonly {
    readonly node: Node | null
    readonly previousRect: DOMRect
    readonly currentRect: DOMRect
  }[]
}

declare global {
  interface Window {
    /** Violations of the page's Content-Security-Policy. */
    violations: string[]
    /** What moved without input. */
    shifts: string[]
    axe: typeof axe
  }
}

const sizes = {
  phone: { width: 360, height: 740 },
  wide: { width: 1440, height: 900 },
} as const
type Size = keyof typeof sizes

export interface Look {
  readonly size: Size
  readonly locale: 'en-US' | 'en-GB' | 'en-US@posix' | 'zh-CN'
  readonly colorScheme: 'light' | 'dark'
}

/** Every two of a size, a language and a colour scheme meet in one of them. */
export const looks: readonly Look[] = [
  { size: 'phone', locale: 'en-US', colorScheme: 'light' },
  { size: 'phone', locale: 'zh-CN', colorScheme: 'dark' },
  // Chromium's own on Linux without a locale: not a valid language tag.
  { size: 'wide', locale: 'en-US@posix', colorScheme: 'dark' },
  { size: 'wide', locale: 'zh-CN', colorScheme: 'light' },
]

export interface OpenPage {
  readonly page: Page
  /** Errors of scripts and warnings of the console, without refused requests, which Chromium logs itself. */
  readonly complaints: string[]
  /** Requested addresses. */
  readonly asked: string[]
  /** Waits until all requests are answered and drawn. */
  settled(): Promise<void>
}

/** Runs in the page before its own scripts. */
const listen = () => {
  window.violations = []
  window.shifts = []
  document.addEventListener('securitypolicyviolation', (event) => {
    window.violations.push(
      `${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
    )
  })
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries() as LayoutShift[])
      if (!hadRecentInput)
        for (const { node, previousRect, currentRect } of sources)
          window.shifts.push(
            `${value}: ${node instanceof Element ? node.outerHTML.slice(0, 100) : node?.nodeValue} from ${previousRect.y} to ${currentRect.y}, ${previousRect.x} to ${currentRect.x}`,
          )
  }).observe({ type: 'layout-shift', buffered: true })
}

/** A page until the test ends. */
export async function openPage(...args: Parameters<typeof load>): Promise<OpenPage> {
  const opened = await load(...args)
  onTestFinished(() => opened.page.context().close())
  return opened
}

/** The page that the tests of a file open one after another. */
let kept: { readonly address: string; readonly opened: OpenPage } | undefined

/**
 * A view of a farm that a key with all scopes opens, in English on a wide screen. Tests one after another share the
 * page, without its routes and records: loading it takes longer than most of them.
 */
export async function openView(
  browser: Browser,
  { url, key }: { readonly url: string; readonly key: string },
  view: string,
): Promise<OpenPage> {
  const address = `${url}/#key=${key}`
  const close = async () => {
    await kept?.opened.page.context().close()
    kept = undefined
  }
  if (kept?.address === address) {
    await kept.opened.page.unrouteAll()
    // A view that is left forgets what was entered and opened.
    await goTo(kept.opened, 'keys')
    await kept.opened.page.evaluate(() => Object.assign(window, { violations: [], shifts: [] }))
    kept.opened.complaints.length = 0
    kept.opened.asked.length = 0
  } else {
    await close()
    kept = { address, opened: await load(browser, address) }
    await isLive(kept.opened)
  }
  onTestFailed(close)
  await goTo(kept.opened, view)
  return kept.opened
}

/** Opens a view of an open page, in any language. */
export async function goTo(opened: OpenPage, view: string): Promise<void> {
  const { page } = opened
  await page.evaluate((name) => location.assign(`#/${name}`), view)
  await page.locator(`nav a[href="#/${view}"][aria-current=page]`).waitFor({ state: 'attached' })
  await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
}

async function load(
  browser: Browser,
  address: string,
  look: Partial<Look> = {},
  more: BrowserContextOptions = {},
): Promise<OpenPage> {
  const { size = 'wide', locale = 'en-US', colorScheme = 'light' } = look
  const context = await browser.newContext({
    viewport: sizes[size],
    locale,
    colorScheme,
    timezoneId: 'Europe/Berlin',
    // Each frame of an animation takes processor time.
    reducedMotion: 'reduce',
    ...more,
  })
  // Long, because it only ends what hangs, like the time limit of a test.
  context.setDefaultTimeout(120_000)
  await context.addInitScript(listen)
  const page = await context.newPage()
  const complaints: string[] = []
  const asked: string[] = []
  const waiting = new Set<Request>()
  page.on('request', (request) => {
    asked.push(request.url())
    waiting.add(request)
  })
  page.on('requestfinished', (request) => waiting.delete(request))
  page.on('requestfailed', (request) => waiting.delete(request))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (line) => {
    const isRefusal = /^Failed to load resource|WebSocket connection to/.test(line.text())
    if (/error|warning/.test(line.type()) && !isRefusal) complaints.push(line.text())
  })
  await page.goto(address)
  const settled = async () => {
    // An answer can lead to the next request, in the frame after it.
    for (let quiet = 0; quiet < 2; quiet = waiting.size === 0 ? quiet + 1 : 0)
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      )
  }
  return { page, complaints, asked, settled }
}

/** The page is signed in and connected to the farm; in English. */
export const isLive = ({ page }: OpenPage) => page.getByText('Live', { exact: true }).waitFor()

/** Opens every offered view in turn, until all its requests are drawn. @param look called in each */
export async function inEveryView(opened: OpenPage, look: (view: string) => Promise<void>): Promise<void> {
  const { page } = opened
  const addresses = await page
    .locator('nav a')
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).hash))
  expect(addresses.length).toBeGreaterThan(10)
  for (const address of addresses) {
    await goTo(opened, address.replace('#/', ''))
    await opened.settled()
    await look(address)
  }
}

/** No violation of the policy, no error, nothing from another host. */
export async function expectGood({ page, complaints, asked }: OpenPage): Promise<void> {
  expect(await page.evaluate(() => window.violations)).toEqual([])
  expect(complaints).toEqual([])
  const { origin } = new URL(page.url())
  expect(asked.filter((url) => new URL(url).origin !== origin && !url.startsWith('data:'))).toEqual([])
}

/** No violation of the rules of axe, and no sideways scrolling. */
export async function expectAccessible({ page }: OpenPage): Promise<void> {
  // The page's policy allows no script of ours; the debugger's own are exempt.
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
    )
  })
  expect(found).toEqual([])
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(wide).toBeLessThanOrEqual(0)
}

/** Saves a picture where `SCREENSHOTS` names a folder. */
export async function picture({ page }: OpenPage, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}
