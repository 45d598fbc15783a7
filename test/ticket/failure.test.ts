import { open } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { Failure, failureOf } from '../../ticket/errors.ts'

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
