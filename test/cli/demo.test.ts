/** The demo as the author of a bot uses it: a player says the line that the bot waits for. */
import { expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { eventually } from '../wait.ts'
import { start } from './farmgate.ts'

test("a line typed into the demo's terminal is said by one of its players and reaches bots; their lines are printed there; of one that begins with ! it says that bots do not get it", async () => {
  const demo = start(['demo'], { API_PORT: '0' })
  await eventually(() => expect(demo.stdout()).toMatch(/To speak as one of its players.*hi bot/))
  const variable = (name: string) => new RegExp(`${name}='(.*)'`).exec(demo.stdout())?.[1] ?? ''
  const live = connect({ url: variable('FARMGATE_URL'), key: variable('FARMGATE_KEY') }).live()
  const heard: string[] = []
  live.on('chat', ({ message }) => heard.push(message))
  await eventually(() => expect(live.state).toBe('live'))
  demo.child.stdin.write('is a bot here?\n')
  await eventually(() => expect(heard).toContain('is a bot here?'))
  expect(demo.stdout()).toMatch(/^.+: is a bot here\?$/m)
  demo.child.stdin.write('!help\n')
  await eventually(() => expect(demo.stdout()).toMatch(/^The game server keeps lines that begin with "!"/m))
  await live.say({ author: 'Bot', message: 'Hello there' })
  await eventually(() => expect(demo.stdout()).toMatch(/^\(Web\) Bot: Hello there$/m))
  expect(heard).not.toContain('!help')
  live.close()
})
