const clock = 'check the clock of this machine'

const problems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: `it has expired; ${clock}`,
  CERT_NOT_YET_VALID: `it is not valid yet; ${clock}`,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'it is for another name; something else answers in its place, such as a proxy',
}

const unknownAuthority =
  'its authority is not known; where a proxy or virus scanner signs certificates, name its authority in NODE_EXTRA_CA_CERTS'

/**
 * @param code error code of Node, such as `CERT_HAS_EXPIRED`
 * @returns what is wrong with a server's certificate and what to do; `undefined` when the code is not about certificates
 */
export function certificateProblem(code: string): string | undefined {
  if (code in problems) return problems[code]
  if (code.startsWith('UNABLE_TO_') || code.includes('SELF_SIGNED')) return unknownAuthority
  return code.startsWith('CERT_') || code.includes('CERTIFICATE') ? 'it is not valid' : undefined
}
