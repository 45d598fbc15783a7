/** The set-up in the browser. It is at the farm's own address only: at the edge, and without a ticket service, it is 501. */
import { Problem } from '../../handlers/problem.ts'
import type { SetupCall, SetupPath, SetupPort } from '../../handlers/setup.ts'
import { stringifyJson } from '../../lib/json.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { type Caller, isCommand } from './caller.ts'

interface SetupParts {
  readonly setup?: SetupPort | undefined
  /** Prefix of the API behind a proxy. */
  readonly basePath: string
}

interface Visit {
  readonly caller: Caller
  readonly requestId: string
}

interface SetupRoute {
  readonly method: 'GET' | 'POST'
  readonly path: SetupPath | '/setup/key'
  readonly answer: (visit: Visit) => Promise<Answer>
}

const unsupported = () =>
  new Problem(
    'unsupported',
    "Not available here. Set PLATFORM_AUTH_URL, and open the set-up at the farm's own address",
  )

export function setupRoutes({ setup, basePath }: SetupParts): readonly SetupRoute[] {
  const answerOf = (status: number, body: object, cookie: string | undefined): Answer => ({
    ...jsonAnswer(stringifyJson(body)),
    status,
    ...(cookie !== undefined && {
      headers: {
        'Set-Cookie': `farmgate-setup=${cookie}; Path=${basePath}/setup; HttpOnly; SameSite=Strict`,
      },
    }),
  })
  const callOf = (method: SetupCall['method'], { caller }: Visit): SetupCall => ({
    method,
    authorization: caller.header('authorization'),
    cookie: caller.header('cookie'),
    address: caller.address,
    over: caller.over,
  })
  const passed = (method: SetupCall['method'], path: SetupPath, status: number): SetupRoute => ({
    method,
    path,
    async answer(visit) {
      if (setup === undefined) throw unsupported()
      const { view, cookie } = await setup.pass(path, callOf(method, visit))
      return answerOf(status, view, cookie)
    },
  })
  return [
    passed('GET', '/setup', 200),
    passed('POST', '/setup/sign-in', 202),
    passed('POST', '/setup/download', 202),
    {
      method: 'POST',
      path: '/setup/key',
      async answer(visit) {
        if (setup === undefined) throw unsupported()
        const { requestId, caller } = visit
        const from = {
          requestId,
          address: caller.address,
          ...(isCommand(caller) && { isCommand: true as const }),
        }
        const { cookie, ...made } = await setup.makeKey(callOf('POST', visit), from)
        return answerOf(201, made, cookie)
      },
    },
  ]
}
