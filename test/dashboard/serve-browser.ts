/** Starts one Chromium for all tests of a run (`shared-browser.ts`). */
import type { TestProject } from 'vitest/node'
import { serveBrowser } from '../browser.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the browser of the run takes connections. */
    readonly browserAddress: string
  }
}

/** @returns ends the browser */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await serveBrowser()
  provide('browserAddress', address)
  return close
}
