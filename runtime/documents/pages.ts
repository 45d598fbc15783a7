/** The dashboard, the help, the page at `/docs`, OpenAPI and AsyncAPI, the same on every runtime; nothing is loaded from another host. */
import type { Page } from '../api.ts'
import { type Answer, bytesAnswer, json, securityHeaders, textAnswer } from '../http/answer.ts'
import { withSlash } from '../http/page-redirect.ts'
import { type DashboardFile, dashboardAsset, dashboardPage, helpPage } from './dashboard-pages.ts'
import { type GeneratedName, rootMark } from './generated-name.ts'

/** @param folder where the page's own files are, seen from the address of the page: `docs/`, or nothing */
const referencePage = (folder: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>farmgate control API</title>
<link rel="icon" type="image/png" href="${folder}favicon-32x32.png">
<link rel="stylesheet" href="${folder}swagger-ui.css">
</head>
<body>
<p><a href="${folder === '' ? '../' : './'}">← farmgate</a></p>
<main id="reference"></main>
<script src="${folder}swagger-ui-bundle.js"></script>
<script src="${folder}start.js"></script>
</body>
</html>
`

/** Files of swagger-ui-dist, by the name under which `/docs/` serves them, and their types. */
export const viewerAssets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const
type ViewerAsset = keyof typeof viewerAssets

/** Content-Security-Policy: files of this server only, and the icons that swagger-ui has in data URLs. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const pageHeaders = { ...securityHeaders, 'Content-Security-Policy': pagePolicy }
const html = 'text/html; charset=utf-8'
const forAnHour = { 'Cache-Control': 'public, max-age=3600' }

/** Reads the files of the pages. */
export interface PageFiles {
  /** A file of swagger-ui-dist. */
  viewer(name: ViewerAsset): Promise<Uint8Array<ArrayBuffer>>
  readonly dashboard: DashboardFile
  /** A file that `generated.ts` makes. */
  generated(name: GeneratedName): Promise<string>
}

/** The pages by their path. */
export function documentPages({ viewer, dashboard, generated }: PageFiles): Map<string, Page> {
  const openApi = withRoot(() => generated('openapi.json'))
  const pages = new Map<string, Page>([
    ['/openapi.json', openApi],
    ['/swagger/v1/swagger.json', openApi],
    ['/asyncapi.json', once(async () => textAnswer(await generated('asyncapi.json'), json))],
    ['/', () => dashboardPage(dashboard)],
    ['/assets/:file', (file) => dashboardAsset(dashboard, file)],
    ['/help', () => withSlash('help')],
    ['/help/', (_file, _root, request) => helpPage(dashboard, '', request)],
    ['/help/:file', (name, _root, request) => helpPage(dashboard, name, request)],
    ['/docs', () => textAnswer(referencePage('docs/'), html, pageHeaders)],
    ['/docs/', () => textAnswer(referencePage(''), html, pageHeaders)],
    [
      '/docs/start.js',
      once(async () => textAnswer(await generated('start.js'), 'text/javascript; charset=utf-8', forAnHour)),
    ],
  ])
  for (const [name, type] of Object.entries(viewerAssets) as [ViewerAsset, string][])
    pages.set(
      `/docs/${name}`,
      once(async () => bytesAnswer(await viewer(name), type, forAnHour)),
    )
  return pages
}

/** A document that names the URL under which it is requested, because generated clients ask there. */
function withRoot(make: () => Promise<string>): Page {
  let made: Promise<string> | undefined
  return async (_file, root) => {
    made ??= make()
    const text = await made
    return textAnswer(
      text.replace(JSON.stringify(rootMark), () => JSON.stringify(root)),
      json,
    )
  }
}

/** Makes a document when it is first requested, so that the start of the process does not wait for it. */
function once(make: () => Promise<Answer>): Page {
  let made: Promise<Answer> | undefined
  return () => {
    made ??= make()
    return made
  }
}
