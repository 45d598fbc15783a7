/** Any issuer of OpenID Connect: authorization code with PKCE, and a signed ID token. */
import * as oauth from 'oauth4webapi'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import {
  authorizationUrl,
  type Client,
  clientOf,
  failures,
  type Provider,
  pageUrl,
  requestOptions,
  shownName,
  tokensFor,
} from './provider.ts'

/** Milliseconds for which the issuer's description of itself is kept. */
const keptFor = 3_600_000
/** Maximum of groups of a person that are looked at. */
const maxGroups = 1000

interface OidcParts extends Pick<Clock, 'monotonic'> {
  readonly client: Client
  readonly issuer: string
  readonly name: string
  readonly log: Pick<Log, 'warn'>
}

export function oidcProvider({ client, issuer, name, monotonic, log }: OidcParts): Provider {
  const shown = { id: 'oidc', name } as const
  const { begin, end } = failures(shown, log)
  const who = clientOf(client)
  type Options = ReturnType<typeof requestOptions>
  let known: { readonly as: oauth.AuthorizationServer; readonly at: number } | undefined
  const discovered = async (options: Options): Promise<oauth.AuthorizationServer> => {
    if (known !== undefined && monotonic() - known.at < keptFor) return known.as
    const url = new URL(issuer)
    const as = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options))
    // The page is checked before the description is kept, so that a wrong one is read again.
    pageUrl(as.authorization_endpoint)
    known = { as, at: monotonic() }
    return as
  }

  /** The claims of the ID token, and those of the userinfo endpoint that it lacks. */
  async function claimsOf(
    as: oauth.AuthorizationServer,
    tokens: oauth.TokenEndpointResponse,
    options: Options,
  ) {
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    if (claims === undefined) throw new TypeError('no ID token')
    const isWhole = claims['groups'] !== undefined && claims['preferred_username'] !== undefined
    if (isWhole || as.userinfo_endpoint === undefined) return claims
    const got = await oauth.userInfoRequest(as, who, tokens.access_token, options)
    return { ...(await oauth.processUserInfoResponse(as, who, claims.sub, got)), ...claims }
  }

  return {
    ...shown,
    pageOf: (attempt, callback) =>
      begin(async () => {
        const as = await discovered(requestOptions(issuer))
        const groups = as.scopes_supported?.includes('groups') ? ' groups' : ''
        return authorizationUrl(as.authorization_endpoint, client, attempt, {
          redirect_uri: callback,
          scope: `openid profile${groups}`,
          nonce: attempt.nonce,
        })
      }),
    personOf: (answer, attempt, callback) =>
      end(async () => {
        const options = requestOptions(issuer)
        const as = await discovered(options)
        const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
        const secret = methods.includes('client_secret_basic')
          ? oauth.ClientSecretBasic(client.secret)
          : oauth.ClientSecretPost(client.secret)
        const response = await tokensFor(as, who, secret, answer, attempt, callback, options)
        const expected = { expectedNonce: attempt.nonce, requireIdToken: true }
        const tokens = await oauth.processAuthorizationCodeResponse(as, who, response, expected)
        await oauth.validateApplicationLevelSignature(as, response, options)
        const claims = await claimsOf(as, tokens, options)
        const { sub, groups } = claims
        return {
          provider: 'oidc',
          subject: sub,
          name: shownName(claims['preferred_username'], claims['name'], claims['nickname'], sub),
          groups: Array.isArray(groups)
            ? groups.slice(0, maxGroups).filter((group) => typeof group === 'string')
            : [],
        }
      }),
  }
}
