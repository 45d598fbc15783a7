/** The names in README.md and docs/ exist, and so do the names of docs/ in comments and messages. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const others = [
  'bridges/linked/README.md',
  'ticket/depot/README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
]
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root }), ...others].map((page) => ({
  page,
  text: readFileSync(join(root, page), 'utf8'),
}))

/** Files and folders of the repository, folders without a trailing slash. */
const files = globSync('**/*', {
  cwd: root,
  exclude: (name) => /(^|\/)(node_modules|\.git|\.wrangler)$/.test(name),
})
const existing = new Set(files)
const topFolders = new Set(
  files.flatMap((file) => (file.includes('/') ? [file.slice(0, file.indexOf('/'))] : [])),
)

/** The text between backticks, and the lines of code blocks. */
const codeOf = (text: string): readonly string[] => [
  ...[...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
  ...text.split('\n').filter((line) => line.startsWith('    ')),
]

/** Paths from the root: all below a folder there, and every other one that ends as a source file does. */
const pathsIn = (code: string): readonly string[] =>
  [...code.matchAll(/(?<![\w./:@<-])[\w.-]+(?:\/[\w.-]+)*\/?/g)]
    .map(([path]) => path.replace(/[/.]+$/, ''))
    .filter((path) => path.includes('/'))
    .filter((path) => topFolders.has(path.slice(0, path.indexOf('/'))) || /\.(ts|cjs|mjs)$/.test(path))

/** Source files that are named without their folder. */
const namesIn = (code: string): readonly string[] =>
  [...code.matchAll(/(?<![\w./:-])[a-z-]+(?:\.test)?\.(?:ts|cjs|mjs)\b/g)].map(([name]) => name)

/** The heading's address, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

const linksOf = (text: string): readonly string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

/** @returns the file of the repository and the heading that a link on a page leads to */
const targetOf = (page: string, link: string) => {
  const [path = '', anchor] = link.split('#')
  return { file: path === '' ? page : normalize(join(dirname(page), path)), anchor }
}

describe('README.md and docs/', () => {
  test('every path of the repository in them exists', () => {
    const named = pages.flatMap(({ page, text }) =>
      codeOf(text)
        .flatMap(pathsIn)
        .map((path) => ({ page, path })),
    )
    expect(named.length).toBeGreaterThan(80)
    expect(named.filter(({ path }) => !existing.has(path))).toEqual([])
  })

  test('every source file that they name without a folder exists', () => {
    const basenames = new Set(files.map((file) => file.slice(file.lastIndexOf('/') + 1)))
    const named = pages.flatMap(({ page, text }) =>
      codeOf(text)
        .flatMap(namesIn)
        .map((name) => ({ page, name })),
    )
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter(({ name }) => !basenames.has(name))).toEqual([])
  })

  test('every relative link leads to a file, and to an existing heading if it has a fragment', () => {
    const links = pages.flatMap(({ page, text }) => linksOf(text).map((link) => ({ page, link })))
    expect(links.length).toBeGreaterThan(20)
    const broken = links.filter(({ page, link }) => {
      const { file, anchor } = targetOf(page, link)
      if (anchor === undefined || !existing.has(file)) return !existing.has(file)
      return !anchorsOf(readFileSync(join(root, file), 'utf8')).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('at most 16 pages, 25,000 words together and 600 in README.md', () => {
    const own = pages.filter(({ page }) => page === 'README.md' || page.startsWith('docs/'))
    // What is made from the API is looked up, not read.
    const wordsOf = (text: string) =>
      text
        .replaceAll(/<!-- (.*) -->[\s\S]*?<!-- end of \1 -->/g, '')
        .trim()
        .split(/\s+/).length
    expect(own.length).toBeLessThanOrEqual(17)
    expect(own.reduce((sum, { text }) => sum + wordsOf(text), 0)).toBeLessThanOrEqual(25_000)
    expect(wordsOf(own[0]?.text ?? '')).toBeLessThanOrEqual(600)
  })

  test('README.md links every page of docs/', () => {
    const [readme] = pages
    const linked = linksOf(readme?.text ?? '').map((link) => targetOf('README.md', link).file)
    expect(pages.slice(1).filter(({ page }) => !linked.includes(page))).toEqual([])
  })
})

/** The text of a source file with each comment on one line. */
const unwrapped = (text: string): string => text.replaceAll(/\n\s*(?:\*|\/\/|#)(?!\/) ?/g, ' ')

describe('Chinese pages', () => {
  test('every relative link leads to a file', () => {
    const links = globSync('docs/zh/*.md', { cwd: root }).flatMap((page) =>
      linksOf(readFileSync(join(root, page), 'utf8')).map((link) => ({ page, link })),
    )
    expect(links.length).toBeGreaterThan(50)
    expect(links.filter(({ page, link }) => !existing.has(targetOf(page, link).file))).toEqual([])
  })
})

describe('comments and messages', () => {
  const sources = files
    .filter((file) => /^(?!dist\/).+\.(ts|tsx|cjs|css|yaml|toml)$/.test(file))
    .map((file) => ({ file, text: unwrapped(readFileSync(join(root, file), 'utf8')) }))

  test('every page of docs/ that they name exists, and every section of it', () => {
    const named = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/(docs\/[a-z-]+\.md)(?:, "([^"]+)"|#([\p{L}\d-]+))?/gu)].map(
        ([, page = '', heading, anchor]) => ({ file, page, section: anchor ?? anchorOf(heading ?? '') }),
      ),
    )
    expect(named.length).toBeGreaterThan(100)
    const sections = new Map(pages.map(({ page, text }) => [page, ['', ...anchorsOf(text)]]))
    expect(named.filter(({ page, section }) => !sections.get(page)?.includes(section))).toEqual([])
  })

  const product = sources.filter(({ file }) =>
    /^(bridges|cli|dashboard|handlers|lib|own-edge|runtime|services|ticket)\//.test(file),
  )

  test('messages of page, log and command line name help pages, which exist with their sections, and no file of docs/', () => {
    const named = product.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![.\w])\/help\/([a-z-]+)(?:#([a-z-]+))?(?=[\s.,;:)'`，。；：])/g)].map(
        ([, page = '', section = '']) => ({ file, page: `docs/${page}.md`, section }),
      ),
    )
    expect(named.length).toBeGreaterThan(20)
    const sections = new Map(pages.map(({ page, text }) => [page, ['', ...anchorsOf(text)]]))
    expect(named.filter(({ page, section }) => !sections.get(page)?.includes(section))).toEqual([])
    const literal = /'[^'\n]*docs\/[a-z-]+\.md[^'\n]*'|`[^`]*docs\/[a-z-]+\.md[^`]*`/
    const messages = product
      .filter(({ file }) => /\.tsx?$/.test(file))
      .map(({ file }) => ({
        file,
        text: readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''),
      }))
    expect(messages.filter(({ text }) => literal.test(text)).map(({ file }) => file)).toEqual([])
  })
})
