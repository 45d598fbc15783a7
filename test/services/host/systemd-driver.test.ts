import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemdDriver } from '../../../services/host/systemd-driver.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { driverParts, drivesGames, failureOf } from './drivers.ts'

const standIn = fileURLToPath(new URL('stand-ins/systemd.ts', import.meta.url))

/** Puts programs of these names first on the path. */
function install(folder: string, programs: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`)
}

describe('a game as a unit of systemd', () => {
  afterAll(() => vi.unstubAllEnvs())
  drivesGames(
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'farmgate-'))
      vi.stubEnv('STAND_IN', folder)
      // Node needs more memory than journalctl may have.
      const program = (name: string) =>
        `#!/bin/sh\nulimit -S -d unlimited\nexec '${process.execPath}' '${standIn}' ${name} "$@"\n`
      install(folder, { systemctl: program('systemctl'), journalctl: program('journalctl') })
      const another = () => systemdDriver({ GAME_UNIT: 'game' }, driverParts)
      const host = another()
      const pid = () => Number(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')).pid)
      return {
        host,
        another,
        folder,
        kill: async () => process.kill(pid(), 'SIGKILL'),
        async close() {
          if (existsSync(join(folder, 'state.json'))) await host.stop(5)
          host.close()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
    { console: false, exitCodes: true, times: true },
  )
})

describe('systemctl', () => {
  afterEach(() => vi.unstubAllEnvs())
  const driver = (unit = 'game') => {
    const host = systemdDriver({ GAME_UNIT: unit }, driverParts)
    onTestFinished(() => host.close())
    return host
  }

  test.each([
    ['prints something else', 'echo hello'],
    ['prints an unknown state', 'echo LoadState=loaded; echo ActiveState=dreaming'],
    ['does not know the unit', 'echo LoadState=not-found; echo ActiveState=inactive'],
    ['fails', 'printf "\\033[31mInteractive authentication required.\\n" >&2; exit 1'],
    ['is ended by a signal', 'kill -9 $$'],
    ['hangs', 'exec sleep 60'],
    ['hangs in a process that it started', 'sleep 60 & wait'],
    ['prints endlessly', 'exec yes'],
  ])('that %s is host_unavailable within seconds', async (_, script) => {
    install(newFolder(), { systemctl: `#!/bin/sh\n${script}\n`, journalctl: '#!/bin/sh\nexit 1\n' })
    const host = driver()
    const unfollow = host.follow(() => undefined)
    const calls = await Promise.allSettled([host.inspect(), host.stop(1), host.log(10)])
    for (const ended of calls)
      expect(ended).toMatchObject({
        status: 'rejected',
        reason: { failure: { kind: 'host_unavailable', sentence: expect.stringMatching(/^\P{Cc}+$/u) } },
      })
    unfollow()
  })

  test("the use of the unit's control group is without the page cache, and its limit is there if it has one", async () => {
    const group = newFolder()
    const files = {
      'cpu.stat': 'usage_usec 2500000\nuser_usec 2000000\n',
      'memory.stat': 'anon 500\ninactive_file 300\n',
      'memory.current': '900\n',
      'memory.max': 'max\n',
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(group, name), text)
    // Control groups are below /sys/fs/cgroup, where a test cannot write: the way leads out of there.
    install(newFolder(), { systemctl: `#!/bin/sh\necho '/../../..${group}'\n` })
    expect(await driver().usage()).toEqual({ cpuSeconds: 2.5, memory: { used: 600 } })
    writeFileSync(join(group, 'memory.max'), '2000\n')
    expect(await driver().usage()).toEqual({ cpuSeconds: 2.5, memory: { used: 600, limit: 2000 } })
  })

  test('a unit that does not run uses nothing', async () => {
    install(newFolder(), { systemctl: '#!/bin/sh\necho\n' })
    expect(await driver().usage()).toBeUndefined()
  })

  /** A journal with one long message between two short ones. @param message a shell command that prints it */
  const printing = (message: string) => `#!/bin/sh
entry() { printf '{"__REALTIME_TIMESTAMP":"1","MESSAGE":%s,"__CURSOR":"%s"}\n' "$1" "$2"; }
entry '"before"' a
printf '{"__REALTIME_TIMESTAMP":"1","MESSAGE":'; ${message}; printf ',"__CURSOR":"b"}\n'
entry '"after"' c
`
  test.each([
    ['a text', `printf '"'; head -c 60000000 /dev/zero | tr '\\0' x; printf '"'`, /^x{16384}$/],
    ['a list of bytes', `printf '[120'; yes ,120 | head -n 15000000 | tr -d '\\n'; printf ']'`, /^x{16384}$/],
    ['line breaks', `printf '"'; yes '\\n' | head -n 100000 | tr -d '\\n'; printf '"'`, /^$/],
  ])('a message of megabytes that is %s is cut while it is read', async (_, message, expected) => {
    install(newFolder(), { journalctl: printing(message) })
    const before = process.memoryUsage.rss()
    let most = 0
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before)
    }, 5)
    const texts = (await driver().log(2000)).map(({ text }) => text)
    clearInterval(watching)
    expect([texts.at(0)?.slice(0, 20), texts.at(-1)]).toEqual([texts.length < 2000 ? 'before' : '', 'after'])
    expect(texts.at(-2)?.slice(0, 16_384)).toMatch(expected)
    expect(most).toBeLessThan(150_000_000)
  })

  test('a message for which the memory of journalctl does not suffice hides no other', async () => {
    install(newFolder(), {
      journalctl: `#!/bin/sh
case "$*" in *--all*) echo 'Failed to allocate JSON data: Cannot allocate memory' >&2; exit 1;; esac
[ "$(ulimit -S -d)" = 262144 ] || exit 2
${printing("printf 'null'").slice('#!/bin/sh\n'.length)}`,
    })
    expect((await driver().log(10)).map(({ text }) => text)).toEqual(['before', '', 'after'])
  })

  test('such a message is passed by who follows the log, and later ones are shown whole; who reads it meanwhile misses none', async () => {
    const folder = newFolder()
    const long = 'x'.repeat(5000)
    // The last lines, the message that is too long, and what is printed after it.
    const journalctl = `#!/bin/sh
echo "$*" >> '${folder}/calls'
entry() { printf '{"__REALTIME_TIMESTAMP":"1","MESSAGE":%s,"__CURSOR":"%s"}\n' "$1" "$2"; }
case "$*" in
  *--follow*--after-cursor=c*) entry '"${long}"' d; exec sleep 60;;
  *--follow*) entry '"heard"' b; exit 1;;
  *--after-cursor=b*) entry null c;;
  *--all*) entry '"${long}"' a;;
  *) exit 2;;
esac
`
    install(folder, { journalctl })
    const host = driver()
    const heard: string[] = []
    host.follow(({ text }) => heard.push(text))
    await eventually(() => expect(heard).toEqual(['heard', '', long]))
    expect((await host.log(10)).map(({ text }) => text)).toEqual([long])
  })

  test('that is not installed is host_unavailable for every call', async () => {
    vi.stubEnv('PATH', newFolder())
    const host = driver()
    const calls = [host.inspect(), host.start(), host.stop(1), host.log(10)]
    expect(await Promise.all(calls.map(failureOf))).toEqual(calls.map(() => 'host_unavailable'))
  })

  test('gets the unit as one argument after --, for any name', async () => {
    const folder = newFolder()
    const systemctl = `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/arguments'\n`
    install(folder, { systemctl, journalctl: systemctl })
    await driver('$(reboot)@a\\x2d.service').start()
    const given = readFileSync(join(folder, 'arguments'), 'utf8').trim().split('\n')
    expect(given.slice(-2)).toEqual(['--', '$(reboot)@a\\x2d.service'])
    expect(given).toContain('--no-ask-password')
  })

  test.each([
    [
      'a unit that waits to be restarted has crashed',
      'activating',
      'auto-restart',
      'exit-code',
      '1',
      '3',
      'crashed',
      3,
    ],
    ['a unit that starts is starting', 'activating', 'start', 'success', '0', '0', 'starting', undefined],
    [
      'a unit that stops is stopping',
      'deactivating',
      'stop-sigterm',
      'success',
      '0',
      '0',
      'stopping',
      undefined,
    ],
    ['a unit that dumped core has crashed', 'failed', 'failed', 'core-dump', '3', '11', 'crashed', 139],
    ['a unit that reloads is running', 'reloading', 'reload', 'success', '0', '0', 'running', undefined],
  ])('%s', async (_, active, sub, result, code, status, state, exitCode) => {
    const lines = [
      ...['LoadState=loaded', `ActiveState=${active}`, `SubState=${sub}`, `Result=${result}`],
      ...[
        `ExecMainCode=${code}`,
        `ExecMainStatus=${status}`,
        'StateChangeTimestamp=@1700000000',
        'InvocationID=ab',
      ],
    ]
    install(newFolder(), { systemctl: `#!/bin/sh\n${lines.map((line) => `echo ${line}`).join('\n')}\n` })
    expect(await driver().inspect()).toEqual({
      ...{ state, since: 1_700_000_000_000, run: 'ab' },
      ...(exitCode !== undefined && { exitCode }),
    })
  })
})
