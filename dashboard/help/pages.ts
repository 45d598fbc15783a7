/** Makes the pages of `/help/` from docs/, in English and Chinese, and the index of their search. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked } from 'marked'

const docs = join(import.meta.dirname, '../../docs')
const chinesePage = (name: string) => join(docs, 'zh', `${name}.md`)

/** A part of a page, from one heading to the next. */
export interface Section {
  /** Relative to `/help/`. */
  readonly address: string
  /** Of the page. */
  readonly title: string
  readonly heading: string
  readonly text: string
}

const languages = {
  en: {
    tag: 'en',
    help: 'Help',
    search: 'Search',
    pages: 'Pages',
    nothing: 'Nothing found.',
    farm: 'The farm',
    other: '简体中文',
  },
  zh: {
    tag: 'zh-Hans',
    help: '帮助',
    search: '搜索',
    pages: '页面',
    nothing: '没有找到。',
    farm: '农场',
    other: 'English',
  },
} as const
type Language = keyof typeof languages

/** Those that have a Chinese twin are for hosts and players, so they come first. */
const names = readdirSync(docs)
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.slice(0, -3))
  .sort((one, other) => Number(existsSync(chinesePage(other))) - Number(existsSync(chinesePage(one))))

/** The address of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' } as const
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (one) => entities[one as keyof typeof entities])
/** The text of an element, with blanks between its blocks. */
const textOf = (html: string) =>
  Object.entries(entities)
    .reduceRight(
      (text, [one, entity]) => text.replaceAll(entity, one),
      html.replaceAll(/<\/(?:p|li|pre|t[dhr]|h\d)>/g, ' ').replaceAll(/<[^>]*>/g, ''),
    )
    .replaceAll(/\s+/g, ' ')
    .trim()

/** @returns undefined for a file of the repository that is not served */
function addressOf(href: string, language: Language): string | undefined {
  if (/^(https?:|#)/.test(href)) return href
  const [, name = '', anchor = ''] = /^(?:\.\.\/)?([a-z-]+)\.md(#.*)?$/.exec(href) ?? []
  return names.includes(name) ? `${name}?lang=${language}${anchor}` : undefined
}

interface Content {
  readonly html: string
  readonly anchors: readonly string[]
}

/** @param given anchors in the order of the headings; otherwise they are made of the headings */
function contentOf(markdown: string, language: Language, given: readonly string[] = []): Content {
  const anchors: string[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = given[anchors.length] ?? anchorOf(text)
        anchors.push(anchor)
        return `<h${depth} id="${escaped(anchor)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const address = addressOf(href, language)
        return address === undefined ? text : `<a href="${escaped(address)}">${text}</a>`
      },
      // Pictures are not served; the dashboard itself is one click away.
      image: ({ text }) => `<em>${escaped(text)}</em>`,
      html: () => '',
    },
  })
  return { html: marked.parse(markdown, { async: false }), anchors }
}

const firstHeading = (html: string) => textOf(/<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1] ?? '')
const firstSentence = (html: string) => {
  const [first = ''] = textOf(/<p>(.*?)<\/p>/s.exec(html)?.[1] ?? '').split(/(?<=\.) |(?<=。)/)
  return first
}

interface HelpPage {
  readonly name: string
  readonly title: string
  readonly html: string
  /** Of its content: a page without a translation is English among the Chinese ones. */
  readonly language: Language
}

function pageOf(name: string, language: Language): HelpPage {
  const english = contentOf(readFileSync(join(docs, `${name}.md`), 'utf8'), language)
  if (language === 'en' || !existsSync(chinesePage(name)))
    return { name, title: firstHeading(english.html), html: english.html, language: 'en' }
  const { html } = contentOf(readFileSync(chinesePage(name), 'utf8'), language, english.anchors)
  return { name, title: firstHeading(html), html, language }
}

const sectionsOf = ({ name, title, html }: HelpPage, language: Language): readonly Section[] =>
  html.split(/(?=<h[1-6] id=)/).map((part) => {
    const [, anchor = '', heading = ''] = /^<h[1-6] id="([^"]*)">(.*?)<\/h/.exec(part) ?? []
    const address = `${name}?lang=${language}#${anchor}`
    return { address, title, heading: textOf(heading), text: textOf(part.replace(/^.*?<\/h[1-6]>/, '')) }
  })

/** @param pages all of the language @returns the body of one of them, or of the list with the search (`index`) */
function bodyOf(page: HelpPage, pages: readonly HelpPage[], language: Language): string {
  const words = languages[language]
  const other = language === 'en' ? 'zh' : 'en'
  const items = pages.map(({ name, title }) => {
    const current = name === page.name ? ' aria-current="page"' : ''
    return `<li><a href="${name}?lang=${language}"${current}>${escaped(title)}</a></li>`
  })
  return `<header>
<a href="../">← ${words.farm}</a>
<a href="./?lang=${language}">${words.help}</a>
<form role="search"><input type="search" name="q" aria-label="${words.search}" placeholder="${words.search}"></form>
<a href="${page.name === 'index' ? './' : page.name}?lang=${other}" lang="${languages[other].tag}">${words.other}</a>
</header>
<nav aria-label="${words.pages}"><ul>
${items.join('\n')}
</ul></nav>
<main lang="${languages[page.language].tag}">
${page.html}</main>`
}

function listOf(pages: readonly HelpPage[], index: string, language: Language): HelpPage {
  const { help: title, nothing } = languages[language]
  const items = pages.map(
    ({ name, title, html }) =>
      `<li><a href="${name}?lang=${language}">${escaped(title)}</a>: ${escaped(firstSentence(html))}</li>`,
  )
  const html = `<h1>${title}</h1>
<section id="results" role="status" data-index="../assets/${index}" data-nothing="${nothing}"></section>
<ul>
${items.join('\n')}
</ul>
`
  return { name: 'index', title, html, language }
}

/**
 * Writes `help/<language>/<page>.html` and the index of each language.
 * @param folder of the built dashboard, with the empty page `help/index.html`
 */
export function writeHelp(folder: string): void {
  const template = join(folder, 'help/index.html')
  const empty = readFileSync(template, 'utf8')
  rmSync(template)
  for (const language of Object.keys(languages) as Language[]) {
    const pages = names.map((name) => pageOf(name, language))
    const sections = JSON.stringify(pages.flatMap((page) => sectionsOf(page, language)))
    const index = `help-${createHash('sha256').update(sections).digest('hex').slice(0, 8)}.json`
    writeFileSync(join(folder, 'assets', index), sections)
    mkdirSync(join(folder, 'help', language))
    for (const page of [...pages, listOf(pages, index, language)]) {
      const whole = empty
        .replace('<html lang="en">', `<html lang="${languages[language].tag}">`)
        .replace(/<title>.*<\/title>/, () => `<title>${escaped(page.title)} · farmgate</title>`)
        .replace('<!-- page -->', () => bodyOf(page, pages, language))
      writeFileSync(join(folder, 'help', language, `${page.name}.html`), whole)
    }
  }
}
