/** A real Chromium from npm, with nothing from the machine but the C library; unpacked once. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

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

/** A new home for one launch. */
async function makeHome(): Promise<{ readonly options: LaunchOptions; remove(): Promise<void> }> {
  await unpack()
  const home = await mkdtemp(join(tmpdir(), 'farmgate-browser-'))
  await writeFile(join(home, 'fonts.conf'), fontConfiguration(home))
  return {
    options: {
      executablePath: join(unpacked, 'chromium'),
      args,
      ignoreDefaultArgs: ['--headless'],
      env: {
        HOME: home,
        TMPDIR: home,
        LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib'),
        FONTCONFIG_PATH: home,
      },
    },
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

export async function launchBrowser(): Promise<RunningBrowser> {
  const { options, remove } = await makeHome()
  const browser = await chromium.launch(options)
  return {
    browser,
    async close() {
      await browser.close()
      await remove()
    },
  }
}

/** A browser for other processes, which connect to its address by `connectBrowser`. */
export async function serveBrowser(): Promise<{ readonly address: string; close(): Promise<void> }> {
  const { options, remove } = await makeHome()
  const server = await chromium.launchServer({ ...options, host: '127.0.0.1' })
  return {
    address: server.wsEndpoint(),
    async close() {
      await server.close()
      await remove()
    },
  }
}

/** The browser at an address; `close` ends the connection and its pages, but not the browser. */
export async function connectBrowser(address: string): Promise<RunningBrowser> {
  const browser = await chromium.connect(address)
  return { browser, close: () => browser.close() }
}
