/** Every call of the API has a command whose help names it, or a reason in docs/cli.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { fleetEndpoints } from '../../handlers/endpoints/fleet-endpoints.ts'
import { scopeSentences } from '../../handlers/key-holder.ts'
import { everyCommand } from './every-command.ts'
import { runInTurn } from './farmgate.ts'

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
const callOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`
const ofFarm = endpoints.map(callOf)

const helps = async () =>
  (await runInTurn((await everyCommand()).map((words) => [...words, '--help']))).map(({ stdout }) => stdout)

test('each call of the API is named by the help of a command, or has its reason in docs/cli.md', async () => {
  // A long paragraph is wrapped.
  const named = (await helps()).flatMap((help) => {
    const [paragraph = ''] = help.split('\nCalls: ')[1]?.split('\n\n') ?? []
    return paragraph
      .trim()
      .split(/,\s+/)
      .map((call) => call.replace('\n', ' '))
      .filter((call) => call !== '')
  })
  const listed = [...page.matchAll(/^- `([A-Z]+ \/[^`]*)`: \S.*$/gm)].map(([, call = '']) => call)
  expect(ofFarm.filter((call) => !named.includes(call))).toEqual(listed)
  expect(listed.length).toBeLessThanOrEqual(ofFarm.length / 4)
  const known = [...ofFarm, ...fleetEndpoints.map(callOf), 'GET /ws']
  expect(named.filter((call) => !known.includes(call))).toEqual([])
})

test('the help of keys create says what each scope allows', async () => {
  const [help] = await runInTurn([['keys', 'create', '--help']])
  for (const [scope, sentence] of Object.entries(scopeSentences))
    expect(help?.stdout.replaceAll(/\s+/g, ' ')).toContain(` ${scope}: ${sentence}`)
})
