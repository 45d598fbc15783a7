/** The packages that are installed with farmgate: their licences, and npm's bill of materials. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))
const flag = v.optional(v.boolean(), false)
const lock = v.parse(
  v.object({
    packages: v.record(
      v.string(),
      v.object({ version: v.string(), license: v.optional(v.string()), dev: flag, devOptional: flag }),
    ),
  }),
  JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')),
)
const { '': own, ...packages } = lock.packages

/** Anyone can use it and pass it on with its notice, also in an image. */
const permissive = ['MIT', 'Apache-2.0', 'BSD-3-Clause', 'ISC', '0BSD', 'MIT AND BSD-3-Clause', 'MIT of jsbn']
/** Packages whose package.json does not name the licence in `license`, with the text of their files. */
const readByHand: Readonly<Record<string, string>> = {
  // The text of MIT; a copy must have the whole notice.
  'node_modules/node-bignumber': 'MIT of jsbn',
  'node_modules/qrcode-terminal': 'Apache-2.0',
}

describe('what is installed with farmgate', () => {
  test('has a licence that lets anyone use it and pass it on', () => {
    const used = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional)
    expect(used.length).toBeGreaterThan(100)
    const licences = used.map(([path, { license }]) => [path, license ?? readByHand[path] ?? 'none'] as const)
    expect(licences.filter(([, licence]) => !permissive.includes(licence))).toEqual([])
  })

  test.each(['cyclonedx', 'spdx'])('npm sbom lists it, as %s', (format) => {
    const printed = execFileSync('npm', ['sbom', '--omit', 'dev', '--sbom-format', format], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    })
    const bill = v.parse(
      v.union([
        v.object({ components: v.array(v.object({ name: v.string(), version: v.string() })) }),
        v.object({ packages: v.array(v.object({ name: v.string(), versionInfo: v.string() })) }),
      ]),
      JSON.parse(printed),
    )
    const names = ('components' in bill ? bill.components : bill.packages).map(({ name }) => name)
    for (const name of ['hono', 'steam-user', 'long']) expect(names).toContain(name)
    expect(names).not.toContain('vitest')
  })

  test('the version of the lock file is that of package.json', () => {
    expect(own?.version).toBe(manifest.version)
  })
})
