/** The dashboard of a farm, that of a fleet, the help, and their files, which `dashboard/build.ts` has built. */
import { Problem } from '../../handlers/problem.ts'
import { type Answer, bytesAnswer, securityHeaders, textAnswer } from '../http/answer.ts'

/** Reads a built file. @param name such as `index.html`, `assets/main-Bx1.js`. @returns undefined when there is none */
export type DashboardFile = (name: string) => Promise<Uint8Array<ArrayBuffer> | undefined>

const html = 'text/html; charset=utf-8'

/** Nothing of another host, no inline script or style, and no text that becomes a script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const pageHeaders = {
  ...securityHeaders,
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}

/**
 * A page; where it was not built, one that links to the reference.
 * @param name `fleet/index.html` for that of a fleet, which is one folder below
 */
export async function dashboardPage(
  file: DashboardFile,
  name: 'index.html' | 'fleet/index.html' = 'index.html',
): Promise<Answer> {
  const page = await file(name)
  if (page === undefined) return textAnswer(frontPage, html, securityHeaders)
  return bytesAnswer(page, html, pageHeaders)
}

/**
 * A page of the help, which is a page of docs/.
 * @param name such as `troubleshooting`; empty for the list of all, with the search
 * @throws {Problem} not_found
 */
export async function helpPage(file: DashboardFile, name: string, request: Request): Promise<Answer> {
  const isName = /^[a-z-]*$/.test(name)
  const page = isName ? await file(`help/${languageOf(request)}/${name || 'index'}.html`) : undefined
  if (page === undefined)
    throw new Problem('not_found', 'There is no such page. All are listed at /help/', {
      path: `/help/${name}`,
    })
  return bytesAnswer(page, html, { ...pageHeaders, Vary: 'Origin, Accept-Language' })
}

/** The language of the query, else the one that the browser prefers. */
function languageOf({ url, headers }: Request): 'en' | 'zh' {
  const [, asked = headers.get('accept-language') ?? ''] = /[?&]lang=([a-z-]+)/i.exec(url) ?? []
  const [first] = asked
    .split(',')
    .map((one) => ({
      language: one.trim().slice(0, 2).toLowerCase(),
      weight: Number(/;\s*q=([\d.]+)/.exec(one)?.[1] ?? 1),
    }))
    .filter(({ language }) => language === 'en' || language === 'zh')
    .sort((one, other) => other.weight - one.weight)
  return first?.language === 'zh' ? 'zh' : 'en'
}

/** The types of files that a build can have. */
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
}

/**
 * A file of the page. Its name has a hash of its content, so browsers keep it permanently.
 * @throws {Problem} not_found
 */
export async function dashboardAsset(file: DashboardFile, name: string): Promise<Answer> {
  const [, ending = ''] = /^[\w-]+\.(js|css|svg|json)$/.exec(name) ?? []
  const type = types[ending]
  const content = type === undefined ? undefined : await file(`assets/${name}`)
  if (type === undefined || content === undefined)
    throw new Problem('not_found', 'Not found', { path: `/assets/${name}` })
  return bytesAnswer(content, type, { 'Cache-Control': 'public, max-age=31536000, immutable' })
}

/** The page at the root: it leads people to the reference, without script and style. */
const frontPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>farmgate</title>
</head>
<body>
<h1>farmgate</h1>
<p>Control API of a dedicated Stardew Valley server: <a href="docs">reference</a>.</p>
</body>
</html>
`
