/** The dashboard of a farm, that of a fleet, and their files, which `dashboard/build.ts` has built (docs/dashboard.md). */
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
  return bytesAnswer(page, html, {
    ...securityHeaders,
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
  })
}

/** The types of files that a build can have. */
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * A file of the page. Its name has a hash of its content, so browsers keep it permanently.
 * @throws {Problem} not_found
 */
export async function dashboardAsset(file: DashboardFile, name: string): Promise<Answer> {
  const [, ending = ''] = /^[\w-]+\.(js|css|svg)$/.exec(name) ?? []
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
