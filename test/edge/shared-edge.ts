/** A Worker for all tests of a run whose farms need no variables of their own. */
import type { TestProject } from 'vitest/node'
import { bundled } from './bundle.ts'
import { type Edge, startEdge, unlimited } from './edge.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly sharedEdge: { readonly url: string; readonly fleetKey: string }
  }
}

declare global {
  // Vitest loads this file once for each project that names it, all in one process.
  var sharedEdge: Promise<Edge> | undefined
}

const fleetKey = 'c2hhcmVkIGZsZWV0IGtleSBvZiAzMiBieXRlcyEh'

export async function setup(project: TestProject): Promise<void> {
  globalThis.sharedEdge ??= startEdge(bundled, { ...unlimited, FLEET_KEY: fleetKey })
  project.provide('sharedEdge', { url: (await globalThis.sharedEdge).url, fleetKey })
}

export async function teardown(): Promise<void> {
  await (await globalThis.sharedEdge)?.stop()
}
