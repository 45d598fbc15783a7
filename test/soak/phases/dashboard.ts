/** The dashboard in Chromium: during eight hours of a simulated farm, and with 2,000 chat clients. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import type { Row } from '../../../bench/measure.ts'
import { launchBrowser } from '../../browser.ts'
import { startCrowd } from '../crowd.ts'
import { type Farmgate, startFarmgate } from '../farmgate.ts'
import { startFarmgateWithGame } from '../farmgate-with-game.ts'
import { atMost, megabyte, none, type Phase } from '../phase.ts'

const hours = 8
/**
 * The shortest time for these hours, in seconds: many more lines a second than people write would measure something
 * else.
 */
const shortest = 60
const clients = 2000
const linesPerSecond = 5
const noLimits = { RATE_LIMIT_READS: '0', RATE_LIMIT_ANONYMOUS: '0', WS_MAX_CLIENTS: '5000' }

/** The page of a signed-in person, and its complaints, without refused requests. */
async function openDashboard(browser: Browser, { url }: Farmgate, key: string) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
  const complaints: Record<string, number> = {}
  const complain = (words: string) => {
    complaints[words] = (complaints[words] ?? 0) + 1
  }
  page.on('pageerror', ({ message }) => complain(message))
  page.on('console', (line) => {
    if (/error|warning/.test(line.type()) && !/^Failed to load resource/.test(line.text()))
      complain(line.text())
  })
  await page.goto(`${url}/#key=${key}`)
  await page.getByText('Live', { exact: true }).waitFor()
  return { page, complaints }
}

/** Bytes of objects and number of nodes in use, after garbage collection. */
async function inUse(page: Page): Promise<{ bytes: number; nodes: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize: bytes } = await session.send('Runtime.getHeapUsage')
  const { nodes } = await session.send('Memory.getDOMCounters')
  await session.detach()
  return { bytes, nodes }
}

async function runDay(seconds: number): Promise<readonly Row[]> {
  const key = randomBytes(32).toString('base64')
  const length = Math.max(seconds, shortest)
  const farmgate = await startFarmgate({
    ...noLimits,
    API_KEY: key,
    GAME_BRIDGE: 'simulated',
    SIM_SPEED: ((hours * 3600) / length).toFixed(3),
  })
  const { browser, close } = await launchBrowser()
  try {
    const { page, complaints } = await openDashboard(browser, farmgate, key)
    const views = await page
      .getByRole('navigation')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    const visit = async (href: string) => {
      await page.evaluate((to) => location.assign(to), href)
      await pause(500)
    }
    const end = performance.now() + length * 1000
    const middle = performance.now() + length * 500
    let half: { bytes: number; nodes: number } | undefined
    let visits = 0
    while (performance.now() < end) {
      for (const href of views) await visit(href)
      visits += views.length
      if (half === undefined && performance.now() >= middle) half = await inUse(page)
    }
    const last = await inUse(page)
    const isLive = await page.getByText('Live', { exact: true }).isVisible()
    return [
      { what: 'views, and how often one was opened', measured: `${views.length}, ${visits}` },
      {
        what: 'memory of the page in the middle',
        measured: `${((half ?? last).bytes / megabyte).toFixed(1)} MB`,
      },
      atMost('memory grew in the second half', (last.bytes - (half ?? last).bytes) / megabyte, 4, ' MB', 1),
      atMost('nodes more at the end than in the middle', last.nodes - (half ?? last).nodes, 2000),
      none('connection that is not live at the end', { connections: isLive ? 0 : 1 }),
      none('complaints of the browser', complaints),
      none('errors in the log', { errors: farmgate.errors.length }),
    ]
  } finally {
    await close()
    await farmgate.kill()
  }
}

async function runCrowd(seconds: number): Promise<readonly Row[]> {
  const { key, game, farmgate } = await startFarmgateWithGame({ ...noLimits, RATE_LIMIT_WRITES: '0' })
  const crowd = await startCrowd(farmgate.wsUrl, key, clients)
  const { browser, close } = await launchBrowser()
  try {
    const { page, complaints } = await openDashboard(browser, farmgate, key)
    await page.evaluate(() => location.assign('#/chat'))
    const log = page.getByRole('log')
    await log.waitFor()
    const delays: number[] = []
    const turns = Math.round(seconds * linesPerSecond)
    for (let turn = 0; turn < turns; turn += 1) {
      const said = performance.now()
      await game.call('say', `line ${turn} of the game`)
      if (turn % linesPerSecond === 0) {
        await log.getByText(`line ${turn} of the game`).waitFor()
        delays.push(performance.now() - said)
      }
      await pause(1000 / linesPerSecond)
    }
    const isLive = await page.getByText('Live', { exact: true }).isVisible()
    return [
      { what: 'chat clients, lines of the game', measured: `${clients}, ${turns}` },
      { what: 'longest until a line was on the page', measured: `${Math.max(...delays).toFixed(0)} ms` },
      none('connection that is not live at the end', { connections: isLive ? 0 : 1 }),
      none('complaints of the browser', complaints),
      none('errors in the log', { errors: farmgate.errors.length }),
    ]
  } finally {
    await close()
    for (const subject of [crowd, game]) await subject.stop()
    await farmgate.kill()
  }
}

export const dashboardPhases: readonly Phase[] = [
  { name: 'dashboard-hours', title: 'The dashboard, open for eight hours', share: 1, run: runDay },
  { name: 'dashboard-crowd', title: 'The dashboard during a crowd', share: 0.5, run: runCrowd },
]
