import { endpoint } from '../endpoint.ts'
import type { ProviderId } from '../key-holder.ts'
import { optional, shortText } from '../parameter.ts'
import { redirect } from '../redirect.ts'

/** Milliseconds. An issuer has two thirds of it. */
export const signInBudget = 30_000

const beginSignIn = <const Id extends ProviderId>(provider: Id, name: string, operationId: string) =>
  endpoint(`GET /sign-in/${provider}`, {
    at: 'farm',
    access: 'public',
    tag: 'Accounts',
    operationId,
    summary: `Sends a browser to ${name} to sign in`,
    parameters: {
      next: optional(
        shortText(256, { description: 'The local path to show after sign-in; / unless given', example: '/' }),
      ),
    },
    redirect: true,
    budget: signInBudget,
    result: redirect,
    example: { location: 'https://accounts.example/authorize?client_id=farmgate' },
    problems: ['unsupported', 'issuer_unavailable'],
    handle: ({ query: { next = '/' } }, { accounts }) => accounts.beginSignIn(provider, next),
  })

export const signInWithDiscord = beginSignIn('discord', 'Discord', 'signInWithDiscord')
export const signInWithOidc = beginSignIn('oidc', 'the OIDC issuer', 'signInWithOidc')
