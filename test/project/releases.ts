/** Releases as release.yml makes them, and a feed of them on loopback. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))
const names = ['farmgate', 'farmgate-ticket', 'farmgate-edge'] as const

/** Files of a release that differ from this checkout's: the new text of each. */
export type Changes = Readonly<Record<string, (text: string) => string>>

/**
 * Makes a release of this checkout's files under another version, in `download/v<version>` of a feed's folder.
 * @param digests of images; others have one that no registry has
 * @returns the folder of its files
 */
export function makeRelease(
  feed: string,
  version: string,
  digests: Readonly<Record<string, string>> = {},
  changes: Changes = {},
): string {
  const checkout = mkdtempSync(join(feed, 'checkout-'))
  const files = [
    'compose.yaml',
    'CHANGELOG.md',
    'deploy/release.sh',
    'deploy/install.sh',
    'deploy/stack/farmgate',
  ]
  for (const path of files) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    cpSync(join(root, path), join(checkout, path))
    const change = changes[path] ?? ((text) => text)
    const text = change(readFileSync(join(checkout, path), 'utf8'))
    writeFileSync(
      join(checkout, path),
      text.replaceAll(`VERSION:-${packageJson.version}`, `VERSION:-${version}`),
    )
  }
  const log = join(checkout, 'CHANGELOG.md')
  if (version !== packageJson.version)
    writeFileSync(
      log,
      readFileSync(log, 'utf8').replace(/^## (?=\d)/m, `## ${version} (2026-12-01)\n\n### More hay\n\n## `),
    )
  const folder = join(feed, 'download', `v${version}`)
  const images = names.map(
    (name) => `ghcr.io/farmgate/${name}@${digests[name] ?? `sha256:${'0'.repeat(64)}`}\n`,
  )
  execFileSync('sh', [join(checkout, 'deploy/release.sh'), version, folder], { input: images.join('') })
  return folder
}

/** Makes a release the newest of a feed. */
export function makeLatest(feed: string, version: string): void {
  cpSync(join(feed, 'download', `v${version}`), join(feed, 'latest/download'), {
    recursive: true,
    force: true,
  })
}

/** A server of a feed's folder. @param seen gets the path of each request */
export const feedServer = (feed: string, seen: string[] = []) =>
  createServer(({ url = '' }, response) => {
    seen.push(url)
    try {
      response.end(readFileSync(join(feed, url)))
    } catch {
      response.writeHead(404).end()
    }
  })
