/** A real Chromium from npm, with nothing from the machine but the C library; unpacked once for each launch. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

export interface RunningBrowser {
  readonly browser: Browser
  /** Ends it, and removes its unpacked files. */
  close(): Promise<void>
}

const packed = (name: string) =>
  fileURLToPath(new URL(`../node_modules/@sparticuz/chromium/bin/${name}`, import.meta.url))

/** The package's own arguments switch web security off; these leave it on. */
const args = ['--no-sandbox', '--headless=shell', '--disable-gpu', '--hide-scrollbars']

/**
 * The package's own configuration names folders of the machine that built it; a browser without any font ends itself.
 * Its one font has no Chinese: to see that, `FONTS` names a folder with one that has (docs/testing.md).
 */
const fontConfiguration = (home: string, more = process.env['FONTS']) =>
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${home}/fonts</dir>${more === undefined ? '' : `<dir>${more}</dir>`}<cachedir>${home}/fonts-cache</cachedir></fontconfig>
`

interface Unpacked {
  readonly options: LaunchOptions
  remove(): Promise<void>
}

async function unpack(): Promise<Unpacked> {
  const home = await mkdtemp(join(tmpdir(), 'farmgate-browser-'))
  // The package unpacks into the folder for temporary files and uses whatever is already there.
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = home
  try {
    const { default: packages, inflate } = await import('@sparticuz/chromium')
    const executablePath = await packages.executablePath()
    await inflate(packed('al2023.tar.br'))
    await writeFile(join(home, 'fonts', 'fonts.conf'), fontConfiguration(home))
    return {
      options: {
        executablePath,
        args,
        ignoreDefaultArgs: ['--headless'],
        env: {
          HOME: home,
          TMPDIR: home,
          LD_LIBRARY_PATH: join(home, 'al2023', 'lib'),
          FONTCONFIG_PATH: join(home, 'fonts'),
        },
      },
      remove: () => rm(home, { recursive: true, force: true }),
    }
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

export async function launchBrowser(): Promise<RunningBrowser> {
  const { options, remove } = await unpack()
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
  const { options, remove } = await unpack()
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
