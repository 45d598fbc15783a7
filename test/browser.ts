/** A real Chromium from npm, with nothing from the machine but the C library; unpacked once. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

export interface RunningBrowser {
  readonly browser: Browser
  /** Ends it, and removes its unpacked files. */
  close(): Promise<void>
}

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const chromiumPackage = join(modules, '@sparticuz/chromium')
const { version } = JSON.parse(readFileSync(join(chromiumPackage, 'package.json'), 'utf8'))
/** The unpacked files, kept between runs: unpacking takes seconds of the processor. */
const unpacked = join(modules, `.cache/chromium-${version}`)

/** The package's own arguments switch web security off; these leave it on. */
const args = ['--no-sandbox', '--headless=shell', '--disable-gpu', '--hide-scrollbars']

/**
 * The package's own configuration names folders of the machine that built it; a browser without any font ends itself.
 * Its one font has no Chinese: to see that, `FONTS` names a folder with one that has (docs/testing.md).
 */
const fontConfiguration = (home: string, more = process.env['FONTS']) =>
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${unpacked}/fonts</dir>${more === undefined ? '' : `<dir>${more}</dir>`}<cachedir>${home}/fonts-cache</cachedir></fontconfig>
`

async function unpack(): Promise<void> {
  if (existsSync(unpacked)) return
  await mkdir(join(modules, '.cache'), { recursive: true })
  const folder = await mkdtemp(`${unpacked}-`)
  // The package unpacks into the folder for temporary files and uses whatever is already there.
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    const { default: packages, inflate } = await import('@sparticuz/chromium')
    await packages.executablePath()
    await inflate(join(chromiumPackage, 'bin/al2023.tar.br'))
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
  // Another process can have been first.
  await rename(folder, unpacked).catch(() => rm(folder, { recursive: true, force: true }))
}

/** It ends with this process at the latest. */
export async function launchBrowser(): Promise<RunningBrowser> {
  await unpack()
  const home = await mkdtemp(join(tmpdir(), 'farmgate-browser-'))
  await writeFile(join(home, 'fonts.conf'), fontConfiguration(home))
  const remove = () => rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  const browser = await chromium.launch({
    executablePath: join(unpacked, 'chromium'),
    args,
    ignoreDefaultArgs: ['--headless'],
    env: {
      HOME: home,
      TMPDIR: home,
      LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib'),
      FONTCONFIG_PATH: home,
    },
  })
  // After the listener of Playwright, which ends the browser.
  process.once('exit', remove)
  return {
    browser,
    async close() {
      await browser.close()
      remove()
    },
  }
}
