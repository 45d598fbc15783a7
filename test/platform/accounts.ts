import { randomBytes } from 'node:crypto'

export interface Account {
  readonly name: string
  readonly password: string
  readonly steamId: string
  /** The one code that is right, for email and device alike. */
  readonly code: string
  readonly email: string
}

/** What a token says of itself. Times are seconds. */
interface TokenClaims {
  readonly sub: string
  readonly aud: readonly string[]
  readonly exp: number
  readonly iat: number
}

/** The platform's own memory of accounts, tokens and remembered machines. */
export class AccountBook {
  readonly accounts = new Map<string, Account>()
  /** Refresh tokens that are good, by token. */
  readonly tokens = new Map<string, Account>()
  /** Every token and remembered-machine token ever given out, revoked ones too. */
  readonly issued = new Set<string>()
  /** Remembered-machine tokens, by token. */
  readonly machines = new Map<string, Account>()

  add(account: Account): Account {
    this.accounts.set(account.name, account)
    return account
  }

  bySteamId(steamId: string): Account | undefined {
    return [...this.accounts.values()].find((account) => account.steamId === steamId)
  }

  /** Issues a refresh token. `expiresAt` in seconds. */
  issue(account: Account, expiresAt: number): string {
    const token = makeToken({
      sub: account.steamId,
      aud: ['client', 'web', 'renew', 'derive'],
      exp: expiresAt,
      iat: 0,
    })
    this.tokens.set(token, account)
    this.issued.add(token)
    return token
  }

  revoke(token: string): void {
    this.tokens.delete(token)
  }

  issueMachine(account: Account): string {
    const token = makeToken({ sub: account.steamId, aud: ['machine'], exp: 2 ** 31, iat: 0 })
    this.machines.set(token, account)
    this.issued.add(token)
    return token
  }

  /** An access token: it lacks `derive`, by which the libraries tell it from a refresh token. */
  access(account: Account, expiresAt: number): string {
    const token = makeToken({ sub: account.steamId, aud: ['client', 'web'], exp: expiresAt, iat: 0 })
    this.issued.add(token)
    return token
  }
}

/** @returns a token of the platform's shape; its signature is noise, which makes each one different. */
export function makeToken(claims: TokenClaims): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signature = randomBytes(48).toString('base64url')
  return `${part({ typ: 'JWT', alg: 'EdDSA' })}.${part({ iss: 'steam', ...claims })}.${signature}`
}

/** @returns when a token ends, in seconds. */
export function tokenEnd(token: string): number {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return 0
  return Number(claims.exp)
}
