/** The reference page and the API's descriptions, the same on every runtime; nothing comes from another host. */
import { stringifyJson } from '../../handlers/json.ts'
import { type Answer, bytesAnswer, json, securityHeaders, textAnswer } from '../http/answer.ts'
import type { Page } from '../router.ts'
import { frontPage } from './front-page.ts'
import { referencePage, referenceScript } from './reference-page.ts'

/** Files of the viewer (swagger-ui-dist), by the name under which `/docs/` serves them. */
export const viewerAssets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const
export type ViewerAsset = keyof typeof viewerAssets

/** Only our own files; the viewer draws its icons from data URLs. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const pageHeaders = { ...securityHeaders, 'Content-Security-Policy': pagePolicy }
const html = 'text/html; charset=utf-8'
const forAnHour = { 'Cache-Control': 'public, max-age=3600' }

/**
 * @param asset reads a file of the viewer; an edge serves them itself and leaves this out
 */
export function documentPages(
  asset?: (name: ViewerAsset) => Promise<Uint8Array<ArrayBuffer>>,
): Map<string, Page> {
  const pages = new Map<string, Page>([
    ['/openapi.json', once(async () => document((await import('./openapi.ts')).openApi('.')))],
    ['/swagger/v1/swagger.json', once(async () => document((await import('./openapi.ts')).openApi('../..')))],
    ['/asyncapi.json', once(async () => document((await import('./asyncapi.ts')).asyncApi()))],
    ['/', () => textAnswer(frontPage, html, securityHeaders)],
    ['/docs', () => textAnswer(referencePage('docs/'), html, pageHeaders)],
    ['/docs/', () => textAnswer(referencePage(''), html, pageHeaders)],
    ['/docs/start.js', () => textAnswer(referenceScript, 'text/javascript; charset=utf-8', forAnHour)],
  ])
  if (asset !== undefined)
    for (const [name, type] of Object.entries(viewerAssets) as [ViewerAsset, string][])
      pages.set(
        `/docs/${name}`,
        once(async () => bytesAnswer(await asset(name), type, forAnHour)),
      )
  return pages
}

const document = (content: object): Answer => textAnswer(stringifyJson(content), json)

/** Made when first asked for: a start need not wait for documents that few read. */
function once(make: () => Promise<Answer>): Page {
  let made: Promise<Answer> | undefined
  return () => {
    made ??= make()
    return made
  }
}
