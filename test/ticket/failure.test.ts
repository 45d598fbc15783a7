import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { connectionFailed } from '../../ticket/depot/cdn/fetch-error.ts'
import { Failure, failureOf } from '../../ticket/errors.ts'
import { logonError } from '../../ticket/session/logon-error.ts'

test('a full disk is distinguished from other failures', async () => {
  const full = await open('/dev/full', 'w')
  const error = await full.writeFile('x').catch((reason: unknown) => reason)
  await full.close()
  expect(failureOf(error).kind).toBe('disk_full')
})

test('an abort becomes an interruption, a Failure is kept, and any other error becomes "failed"', () => {
  expect(failureOf(AbortSignal.abort().reason).kind).toBe('failed')
  expect(failureOf(Object.assign(new Error('aborted'), { code: 'ABORT_ERR' })).kind).toBe('interrupted')
  const failure = new Failure('not_owned', 'The account does not own the game.')
  expect(failureOf(failure)).toBe(failure)
  expect(failureOf('text')).toMatchObject({ kind: 'failed', message: 'text' })
})

test.each([
  ['CERT_HAS_EXPIRED', 'it has expired; check the clock of this machine'],
  ['CERT_NOT_YET_VALID', 'it is not valid yet; check the clock of this machine'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another name'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'name its authority in NODE_EXTRA_CA_CERTS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'name its authority in NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'name its authority in NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'name its authority in NODE_EXTRA_CA_CERTS'],
  ['CERT_REVOKED', 'it is not valid'],
])('an error about a certificate names the fault and the fix: %s', (code, words) => {
  const logon = logonError(Object.assign(new Error('x'), { code }), String)
  expect(logon.message).toContain(`Steam's certificate is not accepted (${code}): `)
  expect(logon.message).toContain(words)
  const fetch = connectionFailed(code)
  expect(fetch.kind).toBe('unreachable')
  expect(fetch.message).toContain(words)
})

test('other connection errors do not mention certificates', () => {
  expect(connectionFailed('ECONNREFUSED').message).toBe('not reachable (ECONNREFUSED)')
  expect(connectionFailed('ECONNRESET').message).toBe('the connection was closed early (ECONNRESET)')
  const logon = logonError(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), String)
  expect(logon.message).toBe('Steam cannot be reached (ENOTFOUND)')
})
