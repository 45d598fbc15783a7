/** The Chromium of the run, which `serve-browser.ts` has started: each process of tests connects to it until it ends. */
import { inject } from 'vitest'
import { connectBrowser } from '../browser.ts'

export const { browser } = await connectBrowser(inject('browserAddress'))
