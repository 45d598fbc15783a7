import { readFile } from 'node:fs/promises'
import type { ViewerAsset } from '../documents/pages.ts'

/** Reads a file of the viewer behind `/docs` from its package. */
export async function viewerAsset(name: ViewerAsset): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(new URL(import.meta.resolve(`swagger-ui-dist/${name}`))))
}
