/** The declarations of the package, as the compilers of bot authors read them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BotProject, root } from './bot-project.ts'

const bot = `
import { connect, FarmgateError, type CallOptions, type ChatLine, type Live, type Player, type Status } from '@farmgate/client'

const options: CallOptions = { signal: AbortSignal.timeout(60_000), timeout: 1_000 }
const farm = connect({ url: 'http://localhost:8080', key: '', timeout: 60_000 })
const { players } = await farm.players({}, options)
export const ids: bigint[] = players.map(({ id }: Player) => id)
const status: Status = await farm.status()
export const phase: string | undefined = status.phase
await farm.setRendering({ fps: 15 }, options)
await farm.createKey({ name: 'Bot', scopes: ['read', 'chat'] })
const refused: unknown = await farm.setTime({ value: 1275 }).catch((error: unknown) => error)
if (refused instanceof FarmgateError && refused.code === 'invalid_parameter') refused.parameter?.trim()
const live: Live = farm.live({ topics: ['players'] })
live.on('chat', (line: ChatLine) => void line.seq.toFixed())
live.on('state', (state) => void (state === 'away'))
await live.say({ author: 'Bot', message: 'hello' })
for await (const item of live) if (item.type === 'event' && item.event === 'player_joined') item.player.name.trim()
`

/** Lines that a compiler must refuse: each has one mistake. */
const mistakes = `
import { connect } from '@farmgate/client'
const farm = connect({ url: 'http://localhost:8080' })
// @ts-expect-error a text for a number
await farm.setTime({ value: '1200' })
// @ts-expect-error a parameter that is not left out
await farm.setTime()
// @ts-expect-error an id as a double
await farm.deleteFarmhand({ playerId: 5 })
// @ts-expect-error a call that does not exist
await farm.sleep()
// @ts-expect-error a scope that does not exist
await farm.createKey({ name: 'Bot', scopes: ['root'] })
// @ts-expect-error a state that does not exist
if (farm.live().state === 'offline') await farm.ready()
`

const example = /```js\n([\s\S]*?)```|((?:^ {4}.*\n)+)/gm
const isProgram = /@farmgate\/client'|\blive\(\)/

/** The examples of the pages, each a module whose `farm` is known. Node's own types are not those of the package. */
const examples = ['docs/bot.md', 'client/README.md'].flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(example)]
    .map(([, fenced, indented]) => fenced ?? indented ?? '')
    .filter((text) => isProgram.test(text) && !text.includes('npm'))
    .map((text) => {
      const ahead = text.includes('import ')
        ? ''
        : "import { connect } from '@farmgate/client'\nconst farm = connect({ url: '' })\n"
      return `${ahead}${text}\ndeclare const process: { env: Record<string, string | undefined> }\n`
    }),
)

// The package's declarations are checked, and those of TypeScript's own library are not.
const checks = ['--skipLibCheck', 'false', '--skipDefaultLibCheck', 'true']
const options = ['--strict', '--exactOptionalPropertyTypes', ...checks, '--noEmit']

export function packageTypes(project: () => BotProject): void {
  // Each compiler and each way to find modules once: one does not depend on the other.
  test.each([
    ['5.9, nodenext', 'typescript-5.9/bin/tsc', ['--module', 'nodenext']],
    [
      'of this repository, bundler',
      'typescript/bin/tsc',
      ['--module', 'esnext', '--moduleResolution', 'bundler'],
    ],
  ])(
    'a bot and the examples of the pages compile in strict mode against the declarations, and mistakes do not (TypeScript %s)',
    async (_name, compiler, modules) => {
      writeFileSync(join(project().client.folder, 'bot.ts'), bot)
      writeFileSync(join(project().client.folder, 'mistakes.ts'), mistakes)
      expect(examples.length).toBeGreaterThan(3)
      const named = examples.map((text, at) => [`example-${at}.ts`, text] as const)
      for (const [name, text] of named) writeFileSync(join(project().client.folder, name), text)
      const lib = ['--target', 'es2022', '--lib', 'es2022,dom']
      expect(
        await project().tool(
          compiler,
          ...options,
          ...modules,
          ...lib,
          'bot.ts',
          'mistakes.ts',
          ...named.map(([name]) => name),
        ),
      ).toBe('')
    },
  )
}
