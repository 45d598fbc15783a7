import { DownloadError } from '../../errors.ts'

/** Prefix of the files that the service itself keeps in the game directory. A manifest may not use it. */
export const ownPrefix = '.download-'

const maxNameBytes = 255
const maxPathBytes = 2048
/** Each check of a path examines all its folders, so a hostile path with a thousand of them would take long. */
const maxFolders = 64

/**
 * Converts a file name of a manifest to a relative path with `/`; depots built on Windows use `\\`.
 * @throws DownloadError `manifest` for a name that leaves the directory or is not valid as a file name
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
  if (parts.length > maxFolders) refuse('too many folders')
  return safe
}

/**
 * Checks the target of a symlink.
 * @returns the target to write into the link
 * @throws DownloadError `manifest` when the target is outside the target directory
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
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  const up = parts.findIndex((part) => part !== '..')
  const ups = up < 0 ? parts.length : up
  // After a name, which may be another link, `..` does not lead to the folder that contains the name.
  if (ups > path.split('/').length - 1 || parts.includes('..', ups)) refuse()
  return text
}

/** The folders above a path, outermost first. */
export function parents(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** @returns a name quoted and shortened, safe to show on a terminal */
export function printable(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name)
}
