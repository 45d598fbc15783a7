/** Starts one Chromium for all tests of a run (`shared-browser.ts`). */
import type { TestProject } from 'vitest/node'
import { serveBrowser } from '../browser.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address at which the run's browser accepts connections. */
    readonly browserAddress: string
  }
}

/** @returns a function that ends the browser */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { address, close } = await serveBrowser()
  provide('browserAddress', address)
  return close
}
