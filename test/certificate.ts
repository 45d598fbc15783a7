/** Certificates of servers on loopback, and who trusts them. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onTestFinished } from 'vitest'
import { type Certificate, makeCertificate } from './platform/certificate.ts'

/** A certificate for `localhost` and 127.0.0.1 from an unknown authority. @param madeAt another time than now */
export async function certificate(madeAt?: Date): Promise<Certificate> {
  const made = await makeCertificate(madeAt)
  onTestFinished(made.remove)
  return made
}

/** Makes this process trust one more authority until the test ends. */
export function trust({ cert }: Pick<Certificate, 'cert'>): void {
  const known = getCACertificates('default')
  setDefaultCACertificates([...known, cert])
  onTestFinished(() => setDefaultCACertificates(known))
}
