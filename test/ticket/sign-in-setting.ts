/** Steam, reset before each test, and a person at a prompt. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Prompter } from '../../lib/terminal/prompter.ts'
import { openSession } from '../../ticket/session/open-session.ts'
import { defaultKnobs } from '../platform/knobs.ts'
import { junimo, makeSetting, type Setting } from './setting.ts'

/** @returns the stand-in for Steam of a test file, and the sign-in of its account there */
export function signInSetting() {
  let made: Setting
  beforeAll(async () => {
    made = await makeSetting()
  })
  afterAll(() => made.close())
  beforeEach(() => void Object.assign(made.platform.knobs, defaultKnobs()))
  const setting = () => made

  async function signIn(
    prompter: Prompter | undefined,
    environment: Record<string, string> = {},
    again = false,
  ) {
    const config = setting().config({ PLATFORM_USERNAME: junimo.name, ...environment })
    const context = { ...setting().context(config), prompter }
    const session = await openSession(context, { again })
    await session.close()
    return { session, context, config }
  }
  return { setting, signIn }
}

/** A prompt that gives the answers in order, and then never answers. */
export function person(...answers: string[]): Prompter & { readonly heard: string[] } {
  const heard: string[] = []
  return {
    heard,
    say: (text) => void heard.push(text),
    ask(question, { signal } = {}) {
      heard.push(question)
      const answer = answers.shift()
      if (answer !== undefined) return Promise.resolve(answer)
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    },
  }
}
