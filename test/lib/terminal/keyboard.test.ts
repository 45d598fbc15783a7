import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { terminalPrompter } from '../../../lib/terminal/prompter.ts'
import { typedLine } from '../../../lib/terminal/typed-line.ts'

/** A terminal as streams, without a kernel behind it. */
function terminal({ columns = 80, isTTY = true, canSuspend = true } = {}) {
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => void modes.push(raw ? 'raw' : 'usual'),
  })
  let screen = ''
  const output = Object.assign(new PassThrough(), { isTTY, columns })
  output.on('data', (data) => {
    screen += data
  })
  const modes: string[] = []
  const continued = new Set<() => void>()
  const prompter = terminalPrompter(
    {
      input,
      output,
      interrupt: () => void modes.push('interrupted'),
      jobControl: {
        canSuspend: () => canSuspend,
        suspend: () => void modes.push('suspended'),
        onContinue(listener) {
          continued.add(listener)
          return () => continued.delete(listener)
        },
      },
    },
    () => new Error('no answer'),
  )
  return {
    prompter,
    modes,
    input,
    screen: () => screen,
    /** Types keys, and waits until they are read. */
    async type(keys: string) {
      input.write(keys)
      await new Promise((resolve) => setImmediate(resolve))
    },
    wake() {
      for (const listener of continued) listener()
    },
  }
}

test('the terminal echoes nothing from the first question until the prompter is closed', async () => {
  const { prompter, modes, type } = terminal()
  expect(modes).toEqual([])
  const name = prompter.ask('Name: ')
  expect(modes).toEqual(['raw'])
  await type('a\r')
  expect(await name).toBe('a')
  expect(modes).toEqual(['raw'])
  prompter.close()
  expect(modes).toEqual(['raw', 'usual'])
})

test('while it is suspended the terminal has its old settings, and afterwards the question is shown again', async () => {
  const { prompter, modes, screen, type, wake } = terminal()
  const name = prompter.ask('Name: ')
  await type('ab\x1a')
  expect(modes).toEqual(['raw', 'usual', 'suspended', 'raw'])
  wake()
  expect(modes.at(-1)).toBe('raw')
  expect(screen()).toBe('Name: ab\rName: ab')
  await type('c\r')
  expect(await name).toBe('abc')
})

test('where it cannot be suspended, Ctrl-Z changes nothing at the terminal', async () => {
  const { prompter, modes, type } = terminal({ canSuspend: false })
  const password = prompter.ask('Password: ', { hidden: true })
  await type('ab\x1ac\r')
  expect(modes).toEqual(['raw'])
  expect(await password).toBe('abc')
})

test('after an external stop and continue, the terminal is set up again', async () => {
  const { prompter, modes, screen, type, wake } = terminal()
  const password = prompter.ask('Password: ', { hidden: true })
  await type('ab')
  wake()
  expect(modes).toEqual(['raw', 'usual', 'raw'])
  expect(screen()).toBe('Password: \rPassword: ')
  await type('c\r')
  expect(await password).toBe('abc')
})

test('Ctrl-C at a prompt interrupts, on a new line', async () => {
  const { prompter, modes, screen, type } = terminal()
  void prompter.ask('Name: ')
  await type('ab\x03')
  expect(modes.at(-1)).toBe('interrupted')
  expect(screen()).toBe('Name: ab\n')
})

test.each([
  ['on the same row', 80, 'abc', 'Name: abc\b \b'],
  ['where the row is full, with the question on a new one', 9, 'abc', 'Name: abc\nName: ab'],
  ['which is two columns wide, with the question on a new row', 80, 'ab星', 'Name: ab星\nName: ab'],
])('Backspace removes a character %s', async (_, columns, keys, expected) => {
  const { prompter, screen, type } = terminal({ columns })
  const name = prompter.ask('Name: ')
  await type(`${keys}\x7f`)
  expect(screen()).toBe(expected)
  await type('\r')
  expect(await name).toBe('ab')
})

test('where standard error is not a terminal, the question is written and nothing that is typed', async () => {
  const { prompter, screen, type } = terminal({ isTTY: false })
  const name = prompter.ask('Name: ')
  await type('abc\x7f\r')
  expect(await name).toBe('ab')
  expect(screen()).toBe('Name: \n')
})

test('a withdrawn question forgets what was typed, and the next one begins on a new line', async () => {
  const { prompter, screen, type } = terminal()
  const approved = new AbortController()
  const code = prompter.ask('Code: ', { signal: approved.signal })
  await type('K7')
  approved.abort(new Error('approved'))
  await expect(code).rejects.toThrow('approved')
  const name = prompter.ask('Name: ')
  await type('a\r')
  expect(await name).toBe('a')
  expect(screen()).toBe('Code: K7\nName: a\n')
})

test('a character in two pieces is read whole', async () => {
  const { prompter, input, type } = terminal()
  const name = prompter.ask('Name: ')
  const [first = 0, ...rest] = Buffer.from('é')
  input.write(Buffer.from([first]))
  input.write(Buffer.from(rest))
  await type('\r')
  expect(await name).toBe('é')
})

test.each([
  ['Ctrl-D on an empty line', (input: PassThrough) => void input.write('\x04')],
  ['the end of the input', (input: PassThrough) => void input.end()],
  ['a closed terminal', (input: PassThrough) => void input.destroy(new Error('EIO'))],
])('%s ends the question with an error that names the missing input', async (_, end) => {
  const { prompter, input } = terminal()
  const name = prompter.ask('Name: ')
  end(input)
  await expect(name).rejects.toThrow('no answer')
  await expect(prompter.ask('Name: ')).rejects.toThrow('no answer')
})

/** Types keys. @returns the lines and special keys in order, then the rest of the line */
function typed(...keys: readonly string[]) {
  const heard: string[] = []
  const line = typedLine({
    entered: (text) => void heard.push(`line ${text}`),
    added: () => undefined,
    removed: () => undefined,
    interrupt: () => void heard.push('interrupt'),
    suspend: () => void heard.push('suspend'),
    end: () => void heard.push('end'),
  })
  for (const part of keys) line.type(part)
  return [...heard, line.typed()]
}

test.each([
  ['Enter ends a line, as CR, LF or both', 'a\rb\nc\r\nd', ['line a', 'line b', 'line c', 'd']],
  ['an empty line is an answer too', '\r\r', ['line ', 'line ', '']],
  ['Backspace removes a character, in both codes of terminals', 'abc\x7f\b', ['a']],
  ['Backspace removes a character outside of the first plane whole', 'a😀\x7f', ['a']],
  ['Backspace on an empty line does nothing', '\x7fa', ['a']],
  ['Ctrl-W removes a word and the blanks behind it', 'one two  \x17', ['one ']],
  ['Ctrl-U removes the line', 'one two\x15three', ['three']],
  ['Ctrl-Y does not bring back what Ctrl-U or Ctrl-W removed', 'one\x15\x19\x17\x19', ['']],
  ['the arrow up does not bring back an earlier line', 'one\r\x1b[A', ['line one', '']],
  ['arrow and function keys do nothing', 'a\x1b[D\x1bOP\x1b[1;5C\x1b[15~b', ['ab']],
  ['a key with Alt does nothing', 'a\x1bxb', ['ab']],
  ['Escape before Enter does not swallow it', 'a\x1b\r', ['line a', '']],
  ['other control characters, tabs too, do nothing', 'a\x00\t\x01\x0b\x9bb', ['ab']],
  ['Ctrl-C interrupts', 'ab\x03', ['interrupt', 'ab']],
  ['Ctrl-Z suspends and keeps the line', 'ab\x1ac', ['suspend', 'abc']],
  ['Ctrl-D ends the input only on an empty line', 'a\x04\x7f\x04', ['end', '']],
  ['a line is at most 4096 long', `${'x'.repeat(5000)}\r`, [`line ${'x'.repeat(4096)}`, '']],
])('%s', (_, keys, expected) => {
  expect(typed(keys)).toEqual(expected)
  // However the terminal splits it.
  expect(typed(...keys)).toEqual(expected)
})
