/** The certificate authorities that other programs of the machine trust. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import type { Environment } from '../lib/environment.ts'

/**
 * Those that the operator names by OpenSSL's variables, otherwise those of the machine and of Node.
 * @returns PEM
 * @throws an error that starts with the variable's name if its file or folder cannot be read
 */
export function knownAuthorities(env: Environment): string[] {
  const named = Object.entries(filesOf).flatMap(([variable, files]) => {
    const path = env[variable]
    if (path === undefined) return []
    try {
      return files(path).map((file) => readFileSync(file, 'utf8'))
    } catch (error) {
      throw new Error(`${variable}: ${error instanceof Error ? error.message : error}`)
    }
  })
  if (named.length === 0) return [...getCACertificates('default'), ...getCACertificates('system')]
  return [...named, ...getCACertificates('extra')]
}

const filesOf: Readonly<Record<string, (path: string) => readonly string[]>> = {
  SSL_CERT_FILE: (path) => [path],
  // Some systems have folders and dangling links in it.
  SSL_CERT_DIR: (path) =>
    readdirSync(path)
      .map((name) => join(path, name))
      .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile()),
}
