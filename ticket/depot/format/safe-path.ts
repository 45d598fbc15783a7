import { DownloadError } from '../../errors.ts'

/** Names in the game directory that are our own; no manifest may claim one. */
export const ownPrefix = '.download-'

const maxNameBytes = 255
const maxPathBytes = 2048

/**
 * Turns a manifest's name into a path below the target directory, with `/` whatever the depot was built on.
 * @throws DownloadError `manifest` for a name that leaves the directory or that no file can bear
 */
export function safePath(name: string): string {
  const refuse = (why: string): never => {
    throw new DownloadError(
      'manifest',
      `the manifest names a file that is refused (${why}): ${printable(name)}`,
    )
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) refuse('control character')
  const path = name.replaceAll('\\', '/')
  if (path.startsWith('/')) refuse('absolute')
  if (/^[A-Za-z]:/.test(path)) refuse('drive letter')
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length === 0) refuse('empty')
  if (parts.includes('..')) refuse('leaves the directory')
  if (parts.some((part) => Buffer.byteLength(part) > maxNameBytes)) refuse('name too long')
  if (parts.some((part) => part.startsWith(ownPrefix))) refuse('reserved name')
  const safe = parts.join('/')
  if (Buffer.byteLength(safe) > maxPathBytes) refuse('path too long')
  return safe
}

/**
 * Checks where a symlink points.
 * @returns the target as it is written into the link
 * @throws DownloadError `manifest` when it leaves the tree
 */
export function safeLinkTarget(path: string, target: string): string {
  const refuse = (): never => {
    throw new DownloadError(
      'manifest',
      `the manifest links ${printable(path)} to ${printable(target)}, outside the tree`,
    )
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (target === '' || /[\u0000-\u001f\u007f]/.test(target)) refuse()
  const text = target.replaceAll('\\', '/')
  if (text.startsWith('/') || /^[A-Za-z]:/.test(text)) refuse()
  let depth = path.split('/').length - 1
  for (const part of text.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '' && part !== '.') depth += 1
    if (depth < 0) refuse()
  }
  return text
}

/** The folders above a path, outermost first. */
export function parents(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** A name as it may appear on a terminal. */
export function printable(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name)
}
