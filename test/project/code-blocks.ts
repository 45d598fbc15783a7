/** The code blocks of README.md and docs/: indented ones, and fenced ones. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface CodeBlock {
  /** The path of its page from the root. */
  readonly page: string
  /** Without the indent. */
  readonly text: string
}

const fenced = /^( *)```[^\n]*\n([\s\S]*?)^ *```$/gm
const indented = /(?<=^|\n\n)(?: {4,}\S.*\n|\n(?= {4}))+/g

/** @returns the text without the common indent of its lines, and without empty lines at its ends */
function withoutIndent(text: string): string {
  const lines = text.replace(/^\n+|\n+$/g, '').split('\n')
  const indent = Math.min(
    ...lines.filter((line) => line !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0),
  )
  return lines.map((line) => line.slice(indent)).join('\n')
}

export const codeBlocks: readonly CodeBlock[] = [
  'README.md',
  ...globSync('docs/*.md', { cwd: root }).sort(),
].flatMap((page) => {
  const whole = readFileSync(join(root, page), 'utf8')
  const between = [...whole.matchAll(fenced)].map(([, , text = '']) => text)
  const others = [...whole.replaceAll(fenced, '').matchAll(indented)].map(([text]) => text)
  return [...between, ...others].map((text) => ({ page, text: withoutIndent(text) }))
})

/** The block of a page with this start. @throws when there is none, or more than one */
export function codeBlock(page: string, beginning: string): string {
  const found = codeBlocks.filter((one) => one.page === page && one.text.startsWith(beginning))
  const [block] = found
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of ${page} begin with ${beginning}`)
  return block.text
}
