/** `farmgate schedules` with a real server. */
import { expect, onTestFinished, test } from 'vitest'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, run } from './farmgate.ts'

async function served() {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  return { server, schedules: (...args: string[]) => run(['schedules', ...args], at(server)) }
}

test('a schedule is added, listed, edited, run, turned off and on, and removed by its id', async () => {
  const { server, schedules } = await served()
  const at5 = ['restart', '--at', '05:00', '--zone', 'Europe/Berlin', '--empty', '--warn', '10,5,1']
  const added = await schedules('add', 'Nightly restart', ...at5)
  expect(added).toMatchObject({ code: 0, stderr: '' })
  const [id = '', nextAt] = added.stdout.trim().split(' ')
  expect(new Date(nextAt ?? '').toISOString()).toBe(nextAt)
  // One clock in each line: that of the schedule.
  expect((await schedules()).stdout).toMatch(
    new RegExp(
      `^Nightly restart +${id} +restart +0 5 \\* \\* \\* +Europe/Berlin +\\d{4}-\\d\\d-\\d\\d 05:00 *$`,
      'm',
    ),
  )
  const said = ['announce', '--every', '6', '--message', 'hello from a schedule']
  const other = JSON.parse((await schedules('add', 'Hello', ...said, '--json')).stdout)
  expect(other).toMatchObject({ cron: '0 */6 * * *', do: { message: 'hello from a schedule' } })
  expect(await schedules('edit', other.id, '--message', 'good morning', '--cron', '0 6 * * *')).toMatchObject(
    {
      code: 0,
    },
  )
  expect((await schedules('run', other.id)).stdout).toBe('succeeded\n')
  expect(server.farm.seen().join()).toContain('good morning')
  expect((await schedules('disable', other.id)).stdout).toBe(`${other.id} off\n`)
  expect((await schedules()).stdout).toMatch(/^Hello .* off +succeeded/m)
  expect((await schedules('enable', other.id)).code).toBe(0)
  expect((await schedules('edit', id, '--no-empty', '--name', 'Restart')).code).toBe(0)
  const all = JSON.parse((await schedules('--json')).stdout).schedules
  expect(all).toMatchObject([
    { name: 'Restart', onlyWhenEmpty: false, warnMinutes: [10, 5, 1] },
    { name: 'Hello', cron: '0 6 * * *', do: { message: 'good morning' }, enabled: true },
  ])
  expect(await schedules('remove', id)).toMatchObject({ code: 2, stdout: '' })
  expect((await schedules('remove', id, '--yes')).stdout).toBe(`Schedule ${id} is deleted\n`)
  expect((await schedules('remove', id, '--yes')).code).toBe(4)
})

test.each([
  [['dance', '--at', '05:00'], 'An action is one of restart, start,'],
  [['backup'], 'Say when: --at 05:00, --every 6, or --cron.'],
  [['backup', '--at', 'dawn'], '--at is a time of day: 05:00.'],
  [['backup', '--every', '5'], '--every is 1, 2, 3, 4, 6, 8 or 12 hours.'],
  [['backup', '--at', '05:00', '--every', '6'], 'Give one of --at, --every and --cron.'],
  [['backup', '--cron', '61 * * * *'], "Member 'cron' must be"],
  [['announce', '--at', '05:00'], "'message'"],
])('%j is refused with its fault, and nothing is made', async (args, sentence) => {
  const { schedules } = await served()
  expect(await schedules('add', 'Nightly', ...args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(sentence),
  })
  expect((await schedules()).stderr).toBe('No schedules yet.\n')
})
