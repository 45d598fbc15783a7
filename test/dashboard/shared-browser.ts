/**
 * The Chromium of the run, which `serve-browser.ts` has started: each file connects to it, and each page has its own
 * context.
 */
import { afterAll, inject } from 'vitest'
import { connectBrowser } from '../browser.ts'

const running = await connectBrowser(inject('browserAddress'))
afterAll(() => running.close())
export const { browser } = running
