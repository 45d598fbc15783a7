/** docs/api.md lists every problem code, and no others. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { problemStatus } from '../../handlers/problem.ts'

test('every problem code is in the table of docs/api.md with its status, a cause and a fix, and nothing else is', () => {
  const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (\d{3}) \| ((?:`\w+`(?:, )?)+) \| [^|]+ \| [^|]+ \|$/gm)]
  const listed = rows.flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/\w+/g)].map(([code]) => [code, Number(status)]),
  )
  expect(listed.toSorted()).toEqual(Object.entries(problemStatus).toSorted())
})
