/**
 * The Chromium of the run, which `serve-browser.ts` has started: each file connects to it, and each page has its own
 * context.
 */
import { inject } from 'vitest'
import { connectBrowser, type RunningBrowser } from '../browser.ts'

export const sharedBrowser = (): Promise<RunningBrowser> => connectBrowser(inject('browserAddress'))
