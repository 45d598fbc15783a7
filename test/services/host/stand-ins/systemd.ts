/**
 * Behaves as the manual pages of systemctl(1) and journalctl(1) say, for one unit whose process is a game. Its files
 * are in the folder of `STAND_IN`. An option or a verb that it does not have ends it with 1, as an unknown one does.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const folder = process.env['STAND_IN'] ?? ''
const unit = 'game.service'
const stateFile = join(folder, 'state.json')
const journal = join(folder, 'journal')
const path = fileURLToPath(import.meta.url)

interface State {
  readonly pid: number
  readonly properties: Readonly<Record<string, string>>
}
const never: State = {
  pid: 0,
  properties: {
    LoadState: 'loaded',
    ActiveState: 'inactive',
    SubState: 'dead',
    Result: 'success',
    ExecMainCode: '0',
    ExecMainStatus: '0',
    StateChangeTimestamp: '',
    InvocationID: '',
  },
}
const read = (): State => (existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : never)
function change(properties: Readonly<Record<string, string>>, pid = read().pid): void {
  const now = `@${Math.floor(Date.now() / 1000)}`
  const next = { pid, properties: { ...read().properties, StateChangeTimestamp: now, ...properties } }
  writeFileSync(`${stateFile}.${process.pid}`, JSON.stringify(next))
  renameSync(`${stateFile}.${process.pid}`, stateFile)
}
const end = (code: number, text = ''): never => {
  if (text !== '') process.stderr.write(`${text}\n`)
  process.exit(code)
}

/** A field that is not printable UTF-8 is a list of bytes (journalctl(1), "json"). */
const field = (bytes: Buffer) => {
  const text = bytes.toString()
  const isPlain = Buffer.from(text).equals(bytes) && !/[^\P{Cc}\t\n]/u.test(text)
  return isPlain ? text : [...bytes]
}

/** Runs the game, writes the journal, and the state when it ends. Outlives systemctl. */
async function supervise(): Promise<void> {
  const game = spawn(process.execPath, [fileURLToPath(new URL('../game.ts', import.meta.url)), folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let count = 0
  const run = randomUUID().replaceAll('-', '')
  const write = (line: string) => {
    count += 1
    const message = field(Buffer.from(line, 'latin1'))
    const at = String(Date.now() * 1000)
    const fields = {
      __CURSOR: `s=1;i=${run}${count}`,
      __REALTIME_TIMESTAMP: at,
      _BOOT_ID: 'b',
      MESSAGE: message,
    }
    appendFileSync(journal, `${JSON.stringify(fields)}\n`)
  }
  // One at a time, as lines arrive at journald through one socket for both outputs.
  for (const output of [game.stdout, game.stderr])
    createInterface({ input: output.setEncoding('latin1') }).on('line', write)
  change(
    {
      ActiveState: 'active',
      SubState: 'running',
      Result: 'success',
      ExecMainCode: '0',
      ExecMainStatus: '0',
      InvocationID: run,
    },
    game.pid,
  )
  game.on('close', (code, signal) => {
    const isClean = code === 0 || ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE'].includes(String(signal))
    change({
      ActiveState: isClean ? 'inactive' : 'failed',
      SubState: isClean ? 'dead' : 'failed',
      Result: isClean ? 'success' : signal === null ? 'exit-code' : 'signal',
      ExecMainCode: signal === null ? '1' : '2',
      ExecMainStatus: signal === null ? String(code) : signal === 'SIGKILL' ? '9' : '15',
    })
  })
}

const isOver = () => ['inactive', 'failed'].includes(read().properties['ActiveState'] ?? '')

async function systemctl(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(3),
    allowPositionals: true,
    options: {
      'no-ask-password': { type: 'boolean' },
      'no-pager': { type: 'boolean' },
      'no-block': { type: 'boolean' },
      timestamp: { type: 'string' },
      property: { type: 'string' },
      signal: { type: 'string' },
    },
  })
  const [verb, name] = positionals
  if (verb === 'show') {
    const properties: State['properties'] =
      name === unit ? read().properties : { ...never.properties, LoadState: 'not-found' }
    if (values.timestamp !== 'unix') end(1, 'the test expects --timestamp=unix')
    for (const one of values.property?.split(',') ?? [])
      if (one in properties) process.stdout.write(`${one}=${properties[one]}\n`)
    return
  }
  if (name !== unit) end(5, `Failed to ${verb} ${name}: Unit ${name} not found.`)
  if (verb === 'start' && values['no-block']) {
    if (!isOver()) return
    change({ ActiveState: 'activating', SubState: 'start' })
    spawn(process.execPath, [path, 'supervise'], { detached: true, stdio: 'ignore' }).unref()
  } else if (verb === 'stop') {
    if (isOver()) return change({ ActiveState: 'inactive', SubState: 'dead' })
    const { pid } = read()
    change({ ActiveState: 'deactivating', SubState: 'stop-sigterm' })
    process.kill(pid, 'SIGTERM')
    while (!isOver()) await pause(10)
  } else if (verb === 'kill' && values.signal === 'SIGKILL') process.kill(read().pid, 'SIGKILL')
  else end(1, `Unknown command verb ${verb}.`)
}

async function journalctl(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(3),
    allowPositionals: true,
    options: {
      quiet: { type: 'boolean' },
      'no-pager': { type: 'boolean' },
      all: { type: 'boolean' },
      output: { type: 'string' },
      'output-fields': { type: 'string' },
      lines: { type: 'string' },
      follow: { type: 'boolean' },
      'no-tail': { type: 'boolean' },
      'after-cursor': { type: 'string' },
    },
  })
  if (positionals.join() !== `_SYSTEMD_UNIT=${unit}` || values.output !== 'json') end(1, 'unknown match')
  const text = existsSync(journal) ? readFileSync(journal, 'utf8') : ''
  const entries = text.split('\n').filter(Boolean)
  const cursor = values['after-cursor']
  const after =
    cursor === undefined ? 0 : entries.findIndex((one) => one.includes(JSON.stringify(cursor))) + 1
  const shown = values.lines === undefined ? entries.slice(after) : entries.slice(-Number(values.lines))
  process.stdout.write(shown.map((one) => `${one}\n`).join(''))
  if (!values.follow) return
  for (let at = Buffer.byteLength(text); ; await pause(20)) {
    const size = existsSync(journal) ? statSync(journal).size : 0
    if (size === at) continue
    const all = readFileSync(journal)
    const until = all.lastIndexOf(10) + 1
    process.stdout.write(all.subarray(at, until))
    at = until
  }
}

const programs: Readonly<Record<string, () => Promise<void>>> = { systemctl, journalctl, supervise }
await programs[process.argv[2] ?? '']?.()
