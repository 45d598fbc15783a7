import { endpoint } from '../endpoint.ts'
import { optional, shortText } from '../parameter.ts'
import { redirect } from '../redirect.ts'
import { signInBudget } from './begin-sign-in.ts'

const given = (description: string) => optional(shortText(4096, { description }))

export const endSignIn = endpoint('GET /sign-in/callback', {
  at: 'farm',
  access: 'public',
  tag: 'Accounts',
  operationId: 'endSignIn',
  summary: 'Where a provider sends the browser back: begins a session, and sends the browser to the page',
  parameters: {
    code: given('From the provider'),
    state: given('As this farm has signed it'),
    iss: given('The issuer, as the provider names it'),
    error: given('Why the provider refused'),
  },
  redirect: true,
  budget: signInBudget,
  result: redirect,
  example: { location: 'https://farm.example/' },
  problems: ['unsupported', 'issuer_unavailable'],
  async handle({ query, attempt, from }, { accounts, records }) {
    const { redirect, session } = await accounts.endSignIn(query, attempt)
    if (session === undefined) return redirect
    const { id, account } = session
    const { provider } = account
    const key = { id, name: account.name }
    const row = { ...from, key, account, action: 'endSignIn', parameters: { provider } }
    await records.recordWrite(row, { outcome: 'done', status: 303 })
    return redirect
  },
})
