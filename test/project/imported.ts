/** The imports of the files of a folder, read from the text of their import lines. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const specifiers = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\s]+)['"]/g

export interface Import {
  readonly file: string
  /** A package's name, or a path from the root. */
  readonly to: string
}

/** Every import of every file of a folder. */
export function importsOf(folder: string): readonly Import[] {
  return globSync(`${folder}/**/*.{ts,tsx,js}`, { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return [...text.matchAll(specifiers)].map(([, name = '']) => ({
      file,
      to: name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
    }))
  })
}

/** Whether an import is of a file of this repository. */
export const isLocal = ({ to }: Import) =>
  /^(handlers|runtime|services|bridges|lib|ticket|client|cli|dashboard|own-edge|deploy|test|bench)\//.test(
    to,
  ) || to.startsWith('..')
