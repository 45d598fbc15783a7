import { constants, generateKeyPairSync, privateDecrypt, randomBytes, randomInt } from 'node:crypto'
import { pause } from '../wait.ts'
import type { Account } from './accounts.ts'
import type { Call, Reply } from './connection.ts'
import { decode, encode } from './protobufs.ts'
import { result, type World } from './world.ts'

/** The RSA key for passwords. Node refuses PKCS#1 v1.5 decryption, so `decrypt` removes the padding itself. */
interface PasswordKey {
  readonly modulus: string
  readonly exponent: string
  decrypt(base64: string): string
}

/** @returns a new RSA key. */
function makePasswordKey(): PasswordKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const jwk = publicKey.export({ format: 'jwk' })
  const hex = (part: string | undefined) => Buffer.from(part ?? '', 'base64url').toString('hex')
  return {
    modulus: hex(jwk.n),
    exponent: hex(jwk.e),
    decrypt(base64) {
      const encrypted = Buffer.from(base64, 'base64')
      const padded = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encrypted)
      return padded.subarray(padded.indexOf(0, 2) + 1).toString('utf8')
    },
  }
}

/** Guard kinds as the platform numbers them. */
const GUARD = { none: 1, emailCode: 2, deviceCode: 3, approval: 4 } as const

/** A sign-in in progress. */
interface Attempt {
  readonly clientId: string
  account: Account | null
  confirmed: boolean
  denied: boolean
  /** Whether it was confirmed by a code from an email; the machine is remembered then. */
  byEmail: boolean
  challenge: string
  newChallenge: string | null
}

/** The Steam mobile app of the person, operated by a test. */
export interface Phone {
  /** Approves all waiting sign-ins; a sign-in by QR code gets this account. @returns how many there were */
  approve(account: Account): number
  /** Denies all waiting sign-ins. */
  deny(): void
  /** Replaces all waiting QR codes, so that the client must show new ones. */
  rotate(): void
  /** Number of waiting sign-ins. */
  waiting(): number
}

/** Adds responders for sign-ins by password, code, approval and QR code, and for the renewal of tokens. */
export function addSignIn(world: World): Phone {
  const key = makePasswordKey()
  const attempts = new Map<string, Attempt>()

  const method = (
    name: string,
    request: string,
    answer: (body: Record<string, unknown>) => Reply | Promise<Reply>,
  ) => world.onMethod(`Authentication.${name}#1`, ({ frame }: Call) => answer(decode(request, frame.body)))

  method('GetPasswordRSAPublicKey', 'CAuthentication_GetPasswordRSAPublicKey_Request', () =>
    ok('CAuthentication_GetPasswordRSAPublicKey_Response', {
      publickey_mod: key.modulus,
      publickey_exp: key.exponent,
      timestamp: '1',
    }),
  )

  method(
    'BeginAuthSessionViaCredentials',
    'CAuthentication_BeginAuthSessionViaCredentials_Request',
    (body) => {
      const account = world.book.accounts.get(String(body.account_name))
      if (!account || key.decrypt(String(body.encrypted_password)) !== account.password)
        return refuse('InvalidPassword')
      const remembered = world.book.machines.get(String(body.guard_data ?? '')) === account
      const kinds = remembered ? [GUARD.none] : guardKinds(world)
      const attempt = begin(account, kinds.includes(GUARD.none))
      return ok('CAuthentication_BeginAuthSessionViaCredentials_Response', {
        ...opening(attempt, world.knobs.pollInterval),
        steamid: account.steamId,
        allowed_confirmations: kinds.map((kind) => ({
          confirmation_type: kind,
          associated_message: kind === GUARD.emailCode ? account.email : '',
        })),
      })
    },
  )

  method('BeginAuthSessionViaQR', 'CAuthentication_BeginAuthSessionViaQR_Request', () => {
    const attempt = begin(null, false)
    return ok('CAuthentication_BeginAuthSessionViaQR_Response', {
      ...opening(attempt, world.knobs.pollInterval),
      challenge_url: attempt.challenge,
      version: 1,
      allowed_confirmations: [{ confirmation_type: GUARD.approval }],
    })
  })

  method(
    'UpdateAuthSessionWithSteamGuardCode',
    'CAuthentication_UpdateAuthSessionWithSteamGuardCode_Request',
    (body) => {
      const attempt = attempts.get(String(body.client_id))
      if (!attempt?.account) return refuse('FileNotFound')
      if (attempt.confirmed) return refuse('DuplicateRequest')
      const byEmail = body.code_type === GUARD.emailCode
      if (body.code !== attempt.account.code)
        return refuse(byEmail ? 'InvalidLoginAuthCode' : 'TwoFactorCodeMismatch')
      attempt.confirmed = true
      attempt.byEmail = byEmail
      return ok('CAuthentication_UpdateAuthSessionWithSteamGuardCode_Response', {})
    },
  )

  method('PollAuthSessionStatus', 'CAuthentication_PollAuthSessionStatus_Request', (body) => {
    const attempt = attempts.get(String(body.client_id))
    if (!attempt) return refuse('FileNotFound')
    if (attempt.denied) return refuse('AccessDenied')
    if (!attempt.confirmed || !attempt.account) {
      const challenge = attempt.newChallenge
      attempt.newChallenge = null
      return ok(
        'CAuthentication_PollAuthSessionStatus_Response',
        challenge ? { new_challenge_url: challenge } : {},
      )
    }
    attempts.delete(attempt.clientId)
    return ok('CAuthentication_PollAuthSessionStatus_Response', {
      refresh_token: world.book.issue(attempt.account, world.now() + world.knobs.tokenDays * 86_400),
      account_name: attempt.account.name,
      ...(attempt.byEmail ? { new_guard_data: world.book.issueMachine(attempt.account) } : {}),
    })
  })

  method('GenerateAccessTokenForApp', 'CAuthentication_AccessToken_GenerateForApp_Request', async (body) => {
    const old = String(body.refresh_token)
    const account = world.book.tokens.get(old)
    if (!account) return refuse('AccessDenied')
    const renewing = body.renewal_type === 1 && world.knobs.renewal
    const end = world.now() + world.knobs.tokenDays * 86_400
    const renewed = renewing ? { refresh_token: world.book.issue(account, end) } : {}
    // The platform revokes the old token when it gives a new one.
    if (renewing) world.book.revoke(old)
    await pause(world.knobs.renewalDelay)
    const access_token = world.book.access(account, world.now() + 86_400)
    return ok('CAuthentication_AccessToken_GenerateForApp_Response', { access_token, ...renewed })
  })

  function begin(account: Account | null, confirmed: boolean): Attempt {
    const clientId = String(randomInt(1, 2 ** 47))
    const challenge = challengeUrl()
    const attempt = {
      clientId,
      account,
      confirmed,
      denied: false,
      byEmail: false,
      challenge,
      newChallenge: null,
    }
    attempts.set(clientId, attempt)
    return attempt
  }

  return {
    approve(account) {
      const waiting = [...attempts.values()].filter((attempt) => !attempt.confirmed)
      for (const attempt of waiting) {
        attempt.account ??= account
        attempt.confirmed = true
      }
      return waiting.length
    },
    deny() {
      for (const attempt of attempts.values()) attempt.denied = true
    },
    rotate() {
      for (const attempt of attempts.values()) attempt.newChallenge = challengeUrl()
    },
    waiting: () => [...attempts.values()].filter((attempt) => !attempt.confirmed).length,
  }
}

function guardKinds(world: World): number[] {
  switch (world.knobs.guard) {
    case 'none':
      return [GUARD.none]
    case 'email-code':
      return [GUARD.emailCode]
    case 'device-code':
      return [GUARD.deviceCode]
    case 'approval':
      return [GUARD.approval]
    case 'approval-or-code':
      return [GUARD.approval, GUARD.deviceCode]
  }
}

function opening(attempt: Attempt, interval: number): object {
  return { client_id: attempt.clientId, request_id: Buffer.from(attempt.clientId), interval }
}

function challengeUrl(): string {
  return `https://s.team/q/1/${BigInt(`0x${randomBytes(6).toString('hex')}`)}`
}

function ok(type: string, body: object): Reply {
  return { body: encode(type, body) }
}

function refuse(name: string): Reply {
  return { body: Buffer.alloc(0), result: result(name) }
}
