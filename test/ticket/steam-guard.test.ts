/** The prompts of Steam Guard, with a sign-in and a prompt that the test drives. */
import { EAuthSessionGuardType as Guard } from 'steam-session'
import { expect, test } from 'vitest'
import type { Prompter } from '../../lib/terminal/prompter.ts'
import { makeSecrets } from '../../ticket/secrets.ts'
import { passGuard } from '../../ticket/session/password-sign-in.ts'
import { keptLog } from './kept-log.ts'

const { DeviceCode, DeviceConfirmation, EmailCode, EmailConfirmation } = Guard

interface Given {
  readonly actions?: readonly { type: Guard; detail?: string }[]
  /** Typed in order; then there are no more answers. */
  readonly typed?: readonly string[]
  /** Steam's answers to the codes, in order; then it accepts them. */
  readonly refusals?: readonly unknown[]
  readonly isAsked?: boolean
}

function guard({ actions, typed = [], refusals = [], isAsked = true }: Given) {
  const said: string[] = []
  const asked: string[] = []
  const sent: string[] = []
  const log = keptLog()
  const secrets = makeSecrets()
  const stop = new AbortController()
  const signedIn = Promise.withResolvers<void>()
  signedIn.promise.catch(() => undefined)
  const answers = [...typed]
  const results = [...refusals]
  const prompter: Prompter = {
    say: (text) => void said.push(text),
    ask(question, { signal } = {}) {
      asked.push(question)
      const answer = answers.shift()
      if (answer !== undefined) return Promise.resolve(answer)
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    },
  }
  const passed = passGuard(
    {
      session: {
        async submitSteamGuardCode(code) {
          sent.push(code)
          const refusal = results.shift()
          if (refusal !== undefined) throw refusal
        },
      },
      started: actions === undefined ? {} : { validActions: [...actions] },
      signedIn: signedIn.promise,
      answer: (request) => request,
    },
    { prompter: isAsked ? prompter : undefined, log, secrets, signal: stop.signal },
  )
  passed.catch(() => undefined)
  return { passed, said, asked, sent, lines: log.lines, secrets, stop, signedIn }
}

const result = (eresult: number) => Object.assign(new Error('refused'), { eresult })
const wrongCode = result(65)
const again = 'That code was not right. Try again.'
const device = 'the Steam Guard code from the mobile app: '

test.each([
  [[{ type: DeviceCode }], `Type ${device}`],
  [
    [{ type: DeviceConfirmation }, { type: DeviceCode }],
    `Approve the sign-in in the Steam mobile app, or type ${device}`,
  ],
  [
    [{ type: EmailConfirmation }, { type: DeviceCode }],
    `Approve the sign-in in the Steam mobile app, or type ${device}`,
  ],
  [[{ type: EmailCode, detail: 'j***@example.com' }], 'Type the Steam Guard code sent to j***@example.com: '],
  [[{ type: EmailCode }], 'Type the Steam Guard code sent to your email address: '],
])('the prompt says where the code is, and whether an approval is enough: %j', async (actions, question) => {
  const { passed, asked, sent } = guard({ actions, typed: ['abcde'] })
  await passed
  expect(asked).toEqual([question])
  expect(sent).toEqual(['ABCDE'])
})

test('a typed code is trimmed, sent in capital letters, and blanked in the log; an empty line is not a code', async () => {
  const { passed, asked, sent, secrets } = guard({ actions: [{ type: DeviceCode }], typed: ['', ' k7q2x '] })
  await passed
  expect(asked).toHaveLength(2)
  expect(sent).toEqual(['K7Q2X'])
  expect(secrets.blank('it was k7q2x')).toBe('it was [secret]')
})

test.each([65, 88, 71])(
  'a code that Steam answers with result %i can be typed again in the same sign-in',
  async (eresult) => {
    const { passed, said, sent } = guard({
      actions: [{ type: DeviceCode }],
      typed: ['one', 'two', 'three'],
      refusals: [result(eresult), wrongCode],
    })
    await passed
    expect(sent).toEqual(['ONE', 'TWO', 'THREE'])
    expect(said).toEqual([again, again])
  },
)

test('if only the code counts, any other failure of it ends the sign-in', async () => {
  const refused = result(84)
  const { passed, said } = guard({ actions: [{ type: EmailCode }], typed: ['one'], refusals: [refused] })
  await expect(passed).rejects.toBe(refused)
  expect(said).toEqual([])
})

test.each([
  [result(84), 'RateLimitExceeded'],
  [new Error('socket hang up'), 'Steam cannot be reached (socket hang up)'],
])(
  'if an approval counts too, the sign-in continues after another failure of the code: %s',
  async (error, reason) => {
    const { passed, said } = guard({
      actions: [{ type: DeviceConfirmation }, { type: DeviceCode }],
      typed: ['one'],
      refusals: [error],
    })
    await passed
    expect(said).toEqual([`The code was not accepted (${reason}). The approval in the app still counts.`])
  },
)

test('nothing is reported when the code was refused because the approval came first', async () => {
  const actions = [{ type: DeviceConfirmation }, { type: DeviceCode }]
  const duplicate = guard({ actions, typed: ['one'], refusals: [result(29)] })
  await duplicate.passed
  expect(duplicate.said).toEqual([])
  const late = guard({ actions, typed: ['one'], refusals: [result(84)] })
  late.signedIn.resolve()
  await late.passed
  expect(late.said).toEqual([])
})

test('if only an approval counts, there is no prompt for a code', async () => {
  for (const type of [DeviceConfirmation, EmailConfirmation]) {
    const { passed, asked, said } = guard({ actions: [{ type }], typed: ['one'] })
    await passed
    expect(asked).toEqual([])
    expect(said).toEqual(['Approve the sign-in in the Steam mobile app.'])
  }
  const unknown = guard({})
  await unknown.passed
  expect(unknown.asked).toEqual([])
})

test('without a person to ask, the sign-in waits for an approval, and logs that', async () => {
  const { passed, lines } = guard({
    actions: [{ type: DeviceConfirmation }, { type: DeviceCode }],
    isAsked: false,
  })
  await passed
  expect(lines).toEqual([['warn', 'Approve the sign-in in the Steam mobile app']])
})

test('the prompt is withdrawn when the sign-in has ended, well or not', async () => {
  for (const end of ['resolve', 'reject'] as const) {
    const { passed, signedIn, sent } = guard({ actions: [{ type: DeviceCode }] })
    signedIn[end]()
    await passed
    expect(sent).toEqual([])
  }
})

test('an interrupt at the prompt ends it with its reason', async () => {
  const { passed, stop } = guard({ actions: [{ type: DeviceCode }] })
  stop.abort(new Error('interrupted'))
  await expect(passed).rejects.toThrow('interrupted')
})
