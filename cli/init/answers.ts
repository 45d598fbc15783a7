/** The answers to the questions of `farmgate init`: from options, or from a person. */
import * as v from 'valibot'
import { wrongUsage } from '../outcome/failure.ts'
import { type Question, type QuestionName, questions } from './questions.ts'

/** The answers of the options. An undefined one is asked; an empty text stands for the default. */
export type Given = { readonly [Name in QuestionName]: string | undefined }

export interface Answers {
  /** Name of the Steam account; empty: the sign-in asks for it. */
  readonly account: string
  /** Undefined: a random one is made. Empty: players join without one. */
  readonly joinPassword: string | undefined
  readonly isInviteCodePublic: boolean
  /** Whether the control API may write to the saves. */
  readonly isRestoreAllowed: boolean
  /** Empty: the dashboard is reachable from this machine only. */
  readonly domain: string
  /** Empty: the farm has no edge. */
  readonly edgeUrl: string
  /** Undefined: a random one is made. */
  readonly edgeLinkKey: string | undefined
}

/** Asks a person at the terminal. */
export interface Asking {
  ask(question: Question): Promise<string>
  say(line: string): void
}

/**
 * @param asking undefined where there is no person; an answer that no option gives then has its default
 * @throws {Failure} an option has a wrong value
 */
export async function answersOf(given: Given, asking: Asking | undefined): Promise<Answers> {
  const answer = async (name: QuestionName): Promise<string> => {
    const option = given[name]
    if (option !== undefined) {
      const problem = problemOf(name, option)
      if (problem !== undefined) throw wrongUsage(`${options[name]}: ${problem}.`)
      return option
    }
    return asking === undefined ? '' : askUntilRight(name, asking)
  }
  const account = await answer('account')
  const joinPassword = await answer('joinPassword')
  const isInviteCodePublic = /^y/i.test(await answer('publicInviteCodes'))
  const isRestoreAllowed = /^y/i.test(await answer('allowRestore'))
  const domain = (await answer('domain')).toLowerCase()
  const edgeUrl = await answer('edgeUrl')
  const edgeLinkKey = edgeUrl === '' ? '' : await answer('edgeLinkKey')
  return {
    account,
    joinPassword: joinPassword === 'none' ? '' : joinPassword || undefined,
    isInviteCodePublic,
    isRestoreAllowed,
    domain,
    edgeUrl,
    edgeLinkKey: edgeLinkKey || undefined,
  }
}

const options: { readonly [Name in QuestionName]: string } = {
  account: '--account',
  joinPassword: '--join-password-file',
  publicInviteCodes: '--public-invite-codes',
  allowRestore: '--allow-restore',
  domain: '--domain',
  edgeUrl: '--edge-url',
  edgeLinkKey: '--edge-link-key-file',
}

async function askUntilRight(name: QuestionName, { ask, say }: Asking): Promise<string> {
  say(questions[name].about)
  for (;;) {
    const answer = (await ask(questions[name])).trim()
    const problem = problemOf(name, answer)
    if (problem === undefined) return answer
    say(`That is not right: ${problem}.`)
  }
}

function problemOf(name: QuestionName, answer: string): string | undefined {
  if (answer === '') return undefined
  return v.safeParse(questions[name].schema, answer).issues?.[0].message
}
