/** The authorities that sign certificates, as other programs of the machine know them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import type { Environment } from '../lib/environment.ts'

/**
 * Those that the operator names as for OpenSSL, otherwise those of the machine and of Node.
 * @returns PEM
 * @throws the error of the system when a named file cannot be read
 */
export function knownAuthorities({ SSL_CERT_FILE, SSL_CERT_DIR }: Environment): string[] {
  const inFolder =
    SSL_CERT_DIR === undefined ? [] : readdirSync(SSL_CERT_DIR).map((name) => join(SSL_CERT_DIR, name))
  const files = SSL_CERT_FILE === undefined ? inFolder : [SSL_CERT_FILE, ...inFolder]
  if (files.length === 0) return [...getCACertificates('default'), ...getCACertificates('system')]
  return [...files.map((file) => readFileSync(file, 'utf8')), ...getCACertificates('extra')]
}
