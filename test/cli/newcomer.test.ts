/** A newcomer who knows `npx farmgate demo` and otherwise only follows the output. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type IPty, spawn } from '@lydell/node-pty'
import { expect, onTestFinished, test } from 'vitest'
import { programs } from '../programs.ts'
import { eventually } from '../wait.ts'
import { newFolder } from './farmgate.ts'

/** A shell in a terminal, in which `npx farmgate` is this checkout. */
function shell(home: string) {
  const path = join(home, 'bin')
  mkdirSync(path, { recursive: true })
  writeFileSync(
    join(path, 'npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${programs.commandLine}" "$@"\n`,
    {
      mode: 0o755,
    },
  )
  const pty: IPty = spawn('bash', ['--norc', '--noprofile', '-i'], {
    env: { PATH: `${path}:${process.env['PATH']}`, HOME: home, API_PORT: '0', PS1: '$ ', TERM: 'xterm' },
    cols: 200,
    rows: 50,
  })
  onTestFinished(() => pty.kill('SIGKILL'))
  let screen = ''
  pty.onData((text) => {
    screen += text
  })
  return {
    pty,
    screen: () => stripVTControlCharacters(screen),
    enter: (line: string) => pty.write(`${line}\r`),
    sees: (text: RegExp) => eventually(() => text.test(stripVTControlCharacters(screen))),
  }
}

test('by typing only what is printed, a newcomer gets from npx farmgate demo to a chat line said and received', async () => {
  const home = newFolder()
  const demo = shell(home)
  await demo.sees(/\$ $/)
  demo.enter('npx farmgate demo')
  await demo.sees(/Stop with Ctrl-C/)
  // The printed commands of "Say and hear a line of its chat, in another terminal".
  const printed = demo.screen().split('in another terminal:')[1]?.split('Its players')[0] ?? ''
  const commands = printed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  expect(commands).toEqual([
    expect.stringMatching(/^export FARMGATE_URL='http:\/\/127\.0\.0\.1:\d+'$/),
    expect.stringMatching(/^export FARMGATE_KEY='.+'$/),
    'npx farmgate chat',
  ])
  const other = shell(home)
  await other.sees(/\$ $/)
  for (const command of commands) other.enter(command)
  await other.sees(/Connected\./)
  // The players of the demo talk on their own.
  await other.sees(/\d\d:\d\d \S[^:\r\n]*: \S/)
  // "type a line and press Enter to say it in the game".
  other.enter('hello farm')
  await other.sees(/\d\d:\d\d \S+: hello farm/)
  // "Ctrl-C ends it", and "Stop with Ctrl-C" the demo.
  other.pty.write('\x03')
  await other.sees(/hello farm[\s\S]*\$ $/)
  demo.pty.write('\x03')
  await demo.sees(/Stop with Ctrl-C[\s\S]*\$ $/)
})
