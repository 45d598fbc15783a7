/** The help: what is built of docs/, its search, its Chinese, and the links of the page that lead to it. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { BackupList } from '../../handlers/backup-list.ts'
import { noBackups } from '../records/no-backups.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectAccessible, expectGood, goTo, openPage, openView } from './open-page.ts'
import { browser } from './shared-browser.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const built = new Map(
  globSync('*/*.html', { cwd: `${root}dist/dashboard/help` }).map((file) => [
    file.replace('.html', ''),
    readFileSync(`${root}dist/dashboard/help/${file}`, 'utf8'),
  ]),
)
const source = (file: string) => readFileSync(`${root}docs/${file}`, 'utf8')
const chinesePages = globSync('*.md', { cwd: `${root}docs/zh` })
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, part = '']) => part)

test('every page of docs/ is a page of the help, in both languages', () => {
  const names = globSync('*.md', { cwd: `${root}docs` }).map((file) => file.replace('.md', ''))
  expect(names.length).toBeGreaterThan(10)
  const expected = ['en', 'zh'].flatMap((language) =>
    [...names, 'index'].map((name) => `${language}/${name}`),
  )
  expect([...built.keys()].sort()).toEqual(expected.sort())
})

test('no link and no anchor of a page is dead', () => {
  const dead = [...built].flatMap(([page, html]) =>
    all(html, /<a href="([^"]*)"/g).filter((link) => {
      if (/^https:\/\//.test(link) || link === '../') return false
      const [, name = '', language, anchor] = /^([a-z-]*|\.\/)(?:\?lang=(en|zh))?(?:#(.+))?$/.exec(link) ?? []
      const target = name === '' ? page : `${language ?? page.slice(0, 2)}/${name === './' ? 'index' : name}`
      const html = built.get(target)
      return html === undefined || (anchor !== undefined && !html.includes(` id="${anchor}"`))
    }),
  )
  expect([...built.values()].flatMap((html) => all(html, /<a href="([^"]*)"/g)).length).toBeGreaterThan(500)
  expect(dead).toEqual([])
})

test('no two headings of a page have the same anchor', () => {
  for (const [page, html] of built) {
    const anchors = all(html, / id="([^"]*)"/g)
    expect([page, new Set(anchors).size]).toEqual([page, anchors.length])
  }
})

test('the search finds each section once', () => {
  for (const language of ['en', 'zh']) {
    const [index = ''] = all(built.get(`${language}/index`) ?? '', /data-index="\.\.\/([^"]+)"/g)
    const sections: { address: string }[] = JSON.parse(readFileSync(`${root}dist/dashboard/${index}`, 'utf8'))
    const headings = [...built].flatMap(([page, html]) =>
      page.startsWith(language) && !page.endsWith('index')
        ? all(html, /<h\d id="([^"]*)"/g).map((anchor) => `${page.slice(3)}?lang=${language}#${anchor}`)
        : [],
    )
    expect(sections.map(({ address }) => address).sort()).toEqual(headings.sort())
  }
})

test('friends, dashboard, troubleshooting and backups are in Chinese', () => {
  expect(chinesePages.sort()).toEqual(['backups.md', 'dashboard.md', 'friends.md', 'troubleshooting.md'])
})

/** Code blocks without the comments of their lines, which are translated. */
const blocksOf = (text: string) =>
  all(text, /((?<=\n\n)(?: {4,}.*\n)+)/g).map((block) => block.replaceAll(/ +#.*$/gm, ''))
/** What is made from the sources has the words of its language. */
const byHand = (text: string) => text.replaceAll(/<!-- (.*) -->[\s\S]*?<!-- end of \1 -->/g, '')

test.each(chinesePages)(
  'docs/zh/%s has the headings, commands, code and links of the English page',
  (file) => {
    const [english, chinese] = [byHand(source(file)), byHand(source(`zh/${file}`))]
    const depths = (text: string) => all(text, /^(#+) /gm)
    expect(depths(chinese)).toEqual(depths(english))
    expect(blocksOf(chinese)).toEqual(blocksOf(english))
    for (const pattern of [/(`[^`\n]+`)/g, /\]\((?:\.\.\/)*([^)\s]+)\)/g])
      expect(all(chinese, pattern).sort()).toEqual(all(english, pattern).sort())
  },
)

test('a heading of a Chinese page has the anchor of the English one', () => {
  const anchors = (page: string) => all(built.get(page) ?? '', /<h\d id="([^"]*)"/g)
  for (const file of chinesePages) {
    const name = file.replace('.md', '')
    expect([name, anchors(`zh/${name}`)]).toEqual([name, anchors(`en/${name}`)])
  }
  expect(built.get('zh/friends')).toContain('<h2 id="install">安装</h2>')
})

const absent: BackupList = { backups: [], state: { saves: 'absent', nextAfter: 'game day' } }
const server = await nodeServer({ server: { backups: { ...noBackups, backups: async () => absent } } })
afterAll(() => server.stop())

test('the search of the help finds a message of the log, and leads to its section', async () => {
  const opened = await openPage(browser, `${server.url}/help/?q=link+key`)
  const { page } = opened
  await page.getByRole('link', { name: 'Troubleshooting: Causes' }).waitFor()
  await expectAccessible(opened)
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.fill('no such word anywhere')
  await page.getByText('Nothing found.').waitFor()
  await search.fill('ALLOWED_ORIGINS list')
  expect(page.url()).toContain('/help/?q=ALLOWED_ORIGINS+list')
  await page.getByRole('link', { name: 'Troubleshooting: Messages of the log' }).click()
  await page.waitForURL('**/help/troubleshooting?lang=en#messages-of-the-log')
  await page.getByRole('heading', { name: 'Messages of the log' }).waitFor()
  await search.fill('badge')
  await search.press('Enter')
  await page.getByRole('link', { name: 'HTTP API reference: Badge' }).waitFor()
  await expectGood(opened)
})

test('the help is in Chinese for a browser that prefers it, and for ?lang=zh, and stays so from page to page', async () => {
  const preferring = await openPage(browser, `${server.url}/help/friends`, {}, { locale: 'zh-CN' })
  await preferring.page.getByRole('heading', { name: '和好友一起玩' }).waitFor()
  const opened = await openPage(browser, `${server.url}/help/backups?lang=zh`)
  const { page } = opened
  await page.getByRole('heading', { name: '异地副本' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: '整个农场' }).click()
  await page.getByRole('heading', { name: '将农场搬到这里' }).waitFor()
  expect(page.url()).toMatch(/\/help\/friends\?lang=zh#move-a-farm-here$/)
  await page.getByRole('searchbox').fill('邀请码')
  await page.getByRole('searchbox').press('Enter')
  await page.getByRole('link', { name: '和好友一起玩: 加入' }).waitFor()
  await page.getByRole('link', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Help' }).waitFor()
  await expectGood(opened)
})

test('a help page that the page names is a link to it, in the language of the page', async () => {
  const opened = await openView(browser, server, 'backups')
  const { page } = opened
  await page.getByRole('main').getByRole('link', { name: '/help/backups' }).click()
  await page.waitForURL('**/help/backups?lang=en')
  await page.getByRole('link', { name: 'The farm' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  await goTo(opened, 'doctor')
  await page.getByRole('link', { name: '/help/troubleshooting' }).waitFor()
  await goTo(opened, 'saves')
  await page.getByRole('main').getByRole('link', { name: '/help/backups' }).waitFor()
  await page.getByLabel('Language').selectOption('zh')
  await page.getByRole('banner').getByRole('link', { name: '帮助' }).click()
  await page.getByRole('heading', { name: '帮助' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/help/')
})

test('the page without a key leads to the help', async () => {
  const { page } = await openPage(browser, server.url)
  await page.getByRole('link', { name: 'Help' }).click()
  await page.getByRole('heading', { name: 'Help' }).waitFor()
})
