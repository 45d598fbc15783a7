import { expect, onTestFinished, test } from 'vitest'
import { connect, type Gap } from '../../../client/index.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'

const key = 'restart-restart-restart'

test('live() resumes after a kill and a restart of the server: no line twice or out of order, and a gap for each missing one', async () => {
  const DATA_DIR = newFolder()
  const environment = { API_KEY: key, DATA_DIR, SIM_SPEED: '100' }
  const first = await serving(environment)
  const live = connect({ url: first.url, key }).live()
  onTestFinished(() => live.close())
  const seqs: number[] = []
  const gaps: Gap[] = []
  const states: string[] = []
  live.on('chat', ({ seq }) => seqs.push(seq))
  live.on('gap', (gap) => gaps.push(gap))
  live.on('state', (state) => states.push(state))
  await eventually(() => expect(seqs.length).toBeGreaterThan(2))
  first.signal('SIGKILL')
  await first.exited
  await eventually(() => expect(live.state).toBe('connecting'))
  const heard = seqs.length
  await serving({ ...environment, API_PORT: new URL(first.url).port })
  await eventually(() => expect(seqs.length).toBeGreaterThan(heard + 2))
  expect(states).toEqual(['live', 'connecting', 'live'])
  const isReported = (seq: number) => gaps.some(({ from, to }) => (from ?? 0) <= seq && seq <= to)
  for (const [at, seq] of seqs.entries()) {
    const before = seqs[at - 1] ?? seq - 1
    expect(seq).toBeGreaterThan(before)
    if (seq > before + 1) expect([before + 1, seq - 1].map(isReported)).toEqual([true, true])
  }
})
