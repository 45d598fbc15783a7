import { HttpProblem, problem, rateLimited } from './problems.ts'
import type { Route, Services, TicketAnswer, TicketRequest } from './route.ts'

const setupCookie = 'farmgate-setup'

/** Open to callers without TICKET_KEY: the one-time code is what they must have. */
const open = { open: 'setup', anyAccount: true, isBodyless: true } as const

const refusals = {
  missing: 'Send the code of the link: Authorization: Setup <code>',
  wrong: 'This code is wrong or has ended. The newest link is in the log of the ticket service',
} as const

const closed = () =>
  new HttpProblem(
    problem(404, 'not_found', 'The set-up is complete. It opens again after the command logout'),
  )

/** @returns the headers of the answer; `last` for the browser that has just completed the set-up */
async function admitted(
  { header, address }: TicketRequest,
  { setup }: Services,
): Promise<Readonly<Record<string, string>> | 'last'> {
  const code = /^setup +(\S+)$/i.exec(header('authorization')?.trim() ?? '')?.[1]
  const judged = await setup.admit(code, cookieIn(header('cookie')), address)
  if (typeof judged === 'number') throw new HttpProblem(rateLimited('wrong codes', judged))
  if (judged === 'last') return 'last'
  if (judged === 'closed') throw closed()
  if (judged.isBound)
    return judged.cookie === undefined
      ? {}
      : { 'Set-Cookie': `${setupCookie}=${judged.cookie}; Path=/setup; HttpOnly; SameSite=Strict` }
  if (judged.because === 'other_browser')
    throw new HttpProblem(problem(403, 'other_browser', 'Another browser uses this link already'))
  const headers = { 'WWW-Authenticate': 'Setup' }
  throw new HttpProblem(problem(401, 'unauthorized', refusals[judged.because], {}, headers))
}

const cookieIn = (header = ''): string | undefined => {
  const start = `${setupCookie}=`
  return header
    .split(/;\s*/)
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length)
}

export const setupState: Route = {
  method: 'GET',
  paths: ['/setup'],
  summary: 'The state of the set-up in the browser',
  example: { state: 'sign_in' },
  ...open,
  async handle(request, services) {
    const headers = await admitted(request, services)
    if (headers === 'last') return { status: 200, body: { state: 'installed' } }
    const body = await services.setup.view()
    // The set-up has ended during this request, whose answer is the last.
    if (body.state === 'installed') await admitted(request, services)
    return { status: 200, body, headers }
  },
}

const begin = (
  path: string,
  summary: string,
  act: (setup: Services['setup']) => Promise<TicketAnswer['body']>,
): Route => ({
  method: 'POST',
  paths: [path],
  summary,
  example: { state: 'waiting' },
  status: 202,
  ...open,
  async handle(request, services) {
    const headers = await admitted(request, services)
    if (headers === 'last') throw closed()
    return { status: 202, body: await act(services.setup), headers }
  },
})

export const setupSignIn = begin('/setup/sign-in', 'Begins the sign-in by QR code', async (setup) => {
  await setup.beginSignIn()
  return setup.view()
})

export const setupDownload = begin(
  '/setup/download',
  'Begins or continues the download of the game',
  async (setup) => {
    if (!(await setup.download()))
      throw new HttpProblem(problem(409, 'not_signed_in', 'Sign in to Steam first'))
    return setup.view()
  },
)
