/**
 * A stand-in for the providers of accounts on loopback: an issuer of OpenID Connect, and Discord's API as it is
 * documented (https://discord.com/developers/docs/topics/oauth2). Its knobs make it lie.
 */

import { createHash, createSign, generateKeyPairSync } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '../listening.ts'

interface SomeoneThere {
  readonly id: string
  readonly name: string
  readonly groups: readonly string[]
}

interface Grant {
  readonly challenge: string
  readonly nonce: string | undefined
  readonly callback: string
  readonly scope: string
  readonly person: SomeoneThere
}

/** What one test changes. */
export interface Knobs {
  person: SomeoneThere
  /** Changes the query with which the browser comes back. */
  answer: (query: URLSearchParams) => void
  /** Changes the claims of the ID token. */
  claims: (claims: Record<string, unknown>) => void
  /** Changes the ID token itself. */
  token: (jwt: string) => string
  /** Changes the description of the issuer. */
  description: (described: Record<string, unknown>) => void
  /** Paths whose requests are never answered. */
  hangs: (path: string) => boolean
  /** Answers in place of the usual ones. */
  instead: (path: string, response: ServerResponse) => boolean
  /** A code may be used more than once. */
  reuse: boolean
}

export const client = { id: '157730590492196864', secret: 'a secret of the application' }
const accessToken = 'an access token'

const usual = (): Knobs => ({
  person: { id: '80351110224678912', name: 'Robin', groups: [] },
  answer: () => {},
  claims: () => {},
  token: (jwt) => jwt,
  description: () => {},
  hangs: () => false,
  instead: () => false,
  reuse: false,
})

export interface Issuer extends Knobs {
  readonly url: string
  /** With its version, as `DISCORD_API_URL`. */
  readonly discordUrl: string
  /** The paths of all requests, oldest first. */
  readonly requests: readonly string[]
  /** The knobs as they were at the start. */
  reset(): void
  stop(): void
}

export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const requests: string[] = []
  const grants = new Map<string, Grant>()
  let codes = 0
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = (claims: object) => {
    const content = `${base64({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${base64(claims)}`
    return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')}`
  }
  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer.url)
    requests.push(pathname)
    if (issuer.hangs(pathname) || issuer.instead(pathname, response)) return
    const form = new URLSearchParams(await text(request))
    const isOidc = request.headers.authorization?.startsWith('Basic ') === true
    const { person } = issuer
    switch (pathname) {
      case '/.well-known/openid-configuration': {
        const described: Record<string, unknown> = {
          issuer: issuer.url,
          authorization_endpoint: `${issuer.url}/authorize`,
          token_endpoint: `${issuer.url}/token`,
          jwks_uri: `${issuer.url}/jwks`,
          userinfo_endpoint: `${issuer.url}/userinfo`,
          scopes_supported: ['openid', 'profile', 'groups'],
          authorization_response_iss_parameter_supported: true,
        }
        issuer.description(described)
        return void send(response, 200, described)
      }
      case '/authorize':
      case '/oauth2/authorize': {
        const one = (name: string) => searchParams.get(name) ?? ''
        codes += 1
        const code = `code${codes}`
        const [challenge, callback, scope] = [one('code_challenge'), one('redirect_uri'), one('scope')]
        const nonce = searchParams.get('nonce') ?? undefined
        grants.set(code, { challenge, callback, scope, nonce, person })
        const back = new URL(callback)
        back.searchParams.set('code', code)
        back.searchParams.set('state', one('state'))
        if (pathname === '/authorize') back.searchParams.set('iss', issuer.url)
        issuer.answer(back.searchParams)
        return void response.writeHead(302, { Location: back.href }).end()
      }
      case '/token':
      case '/api/v10/oauth2/token': {
        const code = form.get('code') ?? ''
        const grant = grants.get(code)
        if (!issuer.reuse) grants.delete(code)
        const basic = `Basic ${Buffer.from(`${client.id}:${encodeURIComponent(client.secret).replaceAll('%20', '+')}`).toString('base64')}`
        const isClient = isOidc
          ? request.headers.authorization === basic
          : form.get('client_id') === client.id && form.get('client_secret') === client.secret
        const challenge = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url')
        if (!isClient) return void send(response, 401, { error: 'invalid_client' })
        if (grant?.challenge !== challenge || grant.callback !== form.get('redirect_uri'))
          return void send(response, 400, { error: 'invalid_grant', error_description: 'Invalid "code"' })
        const tokens = {
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: 604_800,
          scope: grant.scope,
        }
        if (!grant.scope.includes('openid')) return void send(response, 200, tokens)
        const seconds = Math.floor(Date.now() / 1000)
        const claims: Record<string, unknown> = {
          iss: issuer.url,
          sub: grant.person.id,
          aud: client.id,
          iat: seconds,
          exp: seconds + 300,
          nonce: grant.nonce,
        }
        issuer.claims(claims)
        return void send(response, 200, { ...tokens, id_token: issuer.token(signed(claims)) })
      }
      case '/jwks': {
        const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }]
        return void send(response, 200, { keys })
      }
    }
    if (request.headers.authorization !== `Bearer ${accessToken}`)
      return void send(response, 401, { message: '401: Unauthorized', code: 0 })
    if (pathname === '/userinfo')
      return void send(response, 200, {
        sub: person.id,
        preferred_username: person.name,
        groups: person.groups,
      })
    if (pathname === '/api/v10/users/@me')
      return void send(response, 200, {
        id: person.id,
        username: person.name.toLowerCase(),
        discriminator: '0',
        global_name: person.name,
        avatar: null,
      })
    if (/^\/api\/v10\/users\/@me\/guilds\/[0-9]+\/member$/.test(pathname))
      return void send(response, 200, { roles: person.groups, nick: null, joined_at: '2026-01-01T00:00:00Z' })
    send(response, 404, { message: 'Unknown Guild', code: 10_004 })
  })
  const url = `http://127.0.0.1:${await listening(server)}`
  const issuer: Issuer = {
    ...usual(),
    url,
    discordUrl: `${url}/api/v10`,
    requests,
    reset: () => void Object.assign(issuer, usual()),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return issuer
}
