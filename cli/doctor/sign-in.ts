/** Whether people can sign in with their own accounts; the configuration has checked that the variables are complete. */
import * as v from 'valibot'
import { ask } from './ask.ts'
import { broken, type Check, ok, warning } from './check.ts'

interface SignInVariables {
  readonly PUBLIC_URL?: string | undefined
  readonly SIGN_IN_DISCORD_CLIENT_ID?: string | undefined
  readonly SIGN_IN_OIDC_ISSUER?: string | undefined
}

const described = v.object({ issuer: v.string() })
const offered = v.object({ providers: v.pipe(v.array(v.unknown()), v.minLength(1)) })

export async function signInChecks(
  { PUBLIC_URL, SIGN_IN_DISCORD_CLIENT_ID, SIGN_IN_OIDC_ISSUER: issuer }: SignInVariables,
  signal: AbortSignal,
): Promise<Check[]> {
  const isSetUp = SIGN_IN_DISCORD_CLIENT_ID !== undefined || issuer !== undefined
  if (!isSetUp || PUBLIC_URL === undefined) return [ok('sign-in', 'Sign-in is not set up: people use keys')]
  const checks = await Promise.all([
    pageCheck(PUBLIC_URL, signal),
    ...(issuer === undefined ? [] : [issuerCheck(issuer, signal)]),
  ])
  const wrong = checks.filter((check) => check !== undefined)
  return wrong.length > 0 ? wrong : [ok('sign-in', `people can sign in at ${PUBLIC_URL}`)]
}

/** A proxy may hide the address from this machine, so this is a warning. */
async function pageCheck(url: string, signal: AbortSignal): Promise<Check | undefined> {
  const asked = await ask(`${url}/sign-in`, { signal })
  if (!('cause' in asked) && v.is(offered, asked.body)) return undefined
  const why = 'cause' in asked ? asked.cause : `HTTP ${asked.status}`
  return warning(
    'sign-in',
    `this farm does not answer at PUBLIC_URL, ${url}: ${why}`,
    'Start farmgate, and set PUBLIC_URL to the address of its page in the browser.',
  )
}

async function issuerCheck(issuer: string, signal: AbortSignal): Promise<Check | undefined> {
  const asked = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, { signal })
  const read = 'cause' in asked ? undefined : v.safeParse(described, asked.body)
  if (read?.success === true && URL.parse(read.output.issuer)?.href === new URL(issuer).href) return undefined
  const why =
    'cause' in asked
      ? `it does not answer: ${asked.cause}`
      : read?.success === true
        ? `it calls itself ${read.output.issuer}`
        : `its description cannot be read (HTTP ${asked.status})`
  return broken('sign-in', `the issuer ${issuer}: ${why}`, 'Check SIGN_IN_OIDC_ISSUER.')
}
