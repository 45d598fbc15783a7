/** The table of exit codes (docs/cli.md), and the advice of each error. */
import { expect, test } from 'vitest'
import { remedyOf } from '../../cli/outcome/remedies.ts'
import { chatErrorCodes } from '../../handlers/chat/messages.ts'
import { type ProblemCode, problemTable, statusOf } from '../../handlers/problem-table.ts'
import { type Finished, runInTurn } from './farmgate.ts'
import { answering } from './faulty.ts'

const problem = (code: ProblemCode, more: object = {}) => ({
  status: statusOf(code),
  body: { success: false, error: `It is ${code}`, code, ...more },
})
const codes = Object.keys(problemTable) as ProblemCode[]

/** Maps the status; the code only sets an offline game apart. */
function exitCode(code: ProblemCode): number {
  const status = statusOf(code)
  if (code === 'game_unavailable') return 5
  if ([401, 403, 409, 429].includes(status)) return 3
  if (status === 404) return 4
  return status >= 500 || status === 408 ? 1 : 2
}

const words = (line: string) => line.split(' ')
const reported = ({ code, stdout, stderr }: Finished) => ({ code, stdout, lines: stderr.trim().split('\n') })

test('farmgate api ends with the exit code of the table for every error of the API, and says what to do', async () => {
  const paths = codes.map((code) => [`/${code}`, problem(code)] as const)
  const FARMGATE_URL = await answering(Object.fromEntries(paths))
  const finished = await runInTurn(
    codes.map((code) => ['api', 'GET', `/${code}`]),
    { FARMGATE_URL },
  )
  for (const [index, code] of codes.entries())
    expect(reported(finished[index] ?? never)).toEqual({
      code: exitCode(code),
      stdout: '',
      lines: [expect.stringMatching(/^farmgate: \S.*HTTP \d+\)$/), remedyOf(code)],
    })
})
const never: Finished = { code: -1, stdout: '', stderr: '' }

test('every error code of the API and of the chat has advice', () => {
  for (const code of [...codes, ...chatErrorCodes])
    expect([code, remedyOf(code)]).toEqual([code, expect.any(String)])
})

const cases: readonly (readonly [string, number, string, string, Parameters<typeof answering>[0][string]])[] =
  [
    ['500', 1, 'status', '/status', problem('internal_error')],
    ['502', 1, 'players', '/players', problem('bad_game_response')],
    ['409', 3, 'rendering 15', '/rendering', problem('save_in_progress')],
    ['429', 3, 'settings', '/settings', problem('rate_limited')],
    ['a write whose outcome is unknown', 1, 'time 1200', '/time', problem('game_timeout')],
    ['a page of another program', 5, 'status', '/status', { body: '<html>Welcome to nginx' }],
    ['a page of another program, at api', 5, 'api GET /x', '/x', { status: 500, body: '<html>' }],
    [
      'the address of another program',
      5,
      'api GET /x',
      '/x',
      { status: 302, location: 'http://localhost:2/' },
    ],
    ['a write whose answer is lost', 1, 'time 1200', '/time', { isCut: true }],
    ['a write whose answer is lost, at api', 1, 'api POST /x', '/x', { isCut: true }],
    ['a read whose answer is lost', 5, 'api GET /x', '/x', { isCut: true }],
  ]

test("500 and 502 end with 1, 409 and 429 with 3, another program's answer with 5, an unknown outcome with 1", async () => {
  const paths = cases.map(([, , , path, answer], at) => [`/${at}${path}`, answer] as const)
  const url = await answering(Object.fromEntries(paths))
  const finished = await runInTurn(cases.map(([, , line], at) => [...words(line), '--url', `${url}/${at}`]))
  for (const [at, [name, code]] of cases.entries())
    expect({ name, ...reported(finished[at] ?? never) }).toEqual({
      name,
      code,
      stdout: '',
      lines: [expect.stringMatching(/^farmgate: \S/), expect.stringMatching(/^\S.*\.$/)],
    })
})

test('a call that is not answered advises to check whether a change was made', async () => {
  const FARMGATE_URL = await answering({
    '/lost': { isCut: true },
    '/write': problem('game_timeout'),
    '/read': problem('game_timeout', { retry: true }),
  })
  const [lost, write, read] = await runInTurn(
    ['POST /lost', 'POST /write', 'GET /read'].map((line) => ['api', ...words(line)]),
    { FARMGATE_URL },
  )
  for (const finished of [lost, write, read])
    expect(finished?.stderr).toContain('Check whether the change was made before you try again.')
})

test('a cause without the texts of a sentence and its next step is ignored', async () => {
  const causes = [{ message: 'x', next: 1 }, { message: {}, next: 'x' }, 'x', null]
  const FARMGATE_URL = await answering(
    Object.fromEntries(causes.map((cause, at) => [`/${at}`, problem('internal_error', { cause })])),
  )
  const finished = await runInTurn(
    causes.map((_, at) => ['api', 'GET', `/${at}`]),
    { FARMGATE_URL },
  )
  for (const one of finished)
    expect(reported(one)).toEqual({
      code: 1,
      stdout: '',
      lines: ['farmgate: It is internal_error (HTTP 500)', remedyOf('internal_error')],
    })
})

test('with --json an error is the body of the answer on stderr, and nothing is on stdout', async () => {
  const FARMGATE_URL = await answering({ '/settings': problem('internal_error') })
  const commands = [
    ['settings', '--json'],
    ['api', 'GET', '/settings', '--json'],
  ]
  for (const { code, stdout, stderr } of await runInTurn(commands, { FARMGATE_URL })) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(JSON.parse(stderr)).toEqual(problem('internal_error').body)
  }
})
