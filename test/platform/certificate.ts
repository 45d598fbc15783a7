import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

/** Host names that the client libraries connect to. */
const NAMES = [
  'api.steampowered.com',
  '*.steampowered.com',
  '*.steamserver.net',
  '*.steamcontent.test',
  'localhost',
]

export interface Certificate {
  readonly key: string
  /** PEM, self-signed. A client trusts it when it is configured as an extra CA. */
  readonly cert: string
  /** The same PEM in a file, for `NODE_EXTRA_CA_CERTS` of a spawned process. */
  readonly file: string
  remove(): void
}

/**
 * Makes the stand-in's certificate, valid from three years ago for six years, so that a test can set a clock wrong by a
 * year.
 */
export async function makeCertificate(now: Date = new Date()): Promise<Certificate> {
  const shifted = (years: number) => new Date(now.getTime() + years * 365 * 86_400_000)
  const made = await generate([{ name: 'commonName', value: 'platform stand-in' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: shifted(-3),
    notAfterDate: shifted(3),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true },
      {
        name: 'subjectAltName',
        altNames: [...NAMES.map((value) => ({ type: 2, value }) as const), { type: 7, ip: '127.0.0.1' }],
      },
    ],
  })
  const folder = mkdtempSync(join(tmpdir(), 'platform-ca-'))
  const file = join(folder, 'ca.pem')
  writeFileSync(file, made.cert)
  return { key: made.private, cert: made.cert, file, remove: () => rmSync(folder, { recursive: true }) }
}
