/**
 * The parts of `npm run edge:serve` in the bundle, and a Worker for all tests of a run whose farms need no variables of
 * their own. The room `edge-worker` uses neither: there Vite would transform the whole of wrangler.
 */
import type { TestProject } from 'vitest/node'
import { completeBundle } from '../../own-edge/complete-bundle.ts'
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
  globalThis.sharedEdge ??= completeBundle(bundled).then(() =>
    startEdge(bundled, { ...unlimited, FLEET_KEY: fleetKey }),
  )
  project.provide('sharedEdge', { url: (await globalThis.sharedEdge).url, fleetKey })
}

export async function teardown(): Promise<void> {
  await (await globalThis.sharedEdge)?.stop()
}
