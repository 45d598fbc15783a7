/** The Chromium of this process of tests, for all its files. */
import { launchBrowser } from '../browser.ts'

export const { browser } = await launchBrowser()

// Vitest ends its processes with this signal, and the browser ends in listeners of `exit`.
process.once('SIGTERM', () => process.exit())
