/** What the machine and the game have used within the last hour. */
import '../history/history.css'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { ResourceCharts } from '../history/metric-charts.tsx'
import { beginOf } from '../history/span.ts'
import { serverTexts } from './texts.ts'

/** Milliseconds between two reads, as there is a new sample once a minute; and of the shown time. */
const [readEvery, shownFor] = [60_000, 3_600_000]

export function Resources({ session }: { readonly session: SignedIn }) {
  const { farm, live } = session
  const read = useLoaded(async (signal) => {
    const to = live.now()
    const from = to - shownFor
    const between = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
    const samples = await farm.historySamples({ ...between, step: 60 }, { signal })
    const first = Math.min(...samples.samples.slice(0, 1).map(({ at }) => Date.parse(at)))
    return { samples, from: beginOf(from, first, to), to }
  }, readEvery)
  const shown = read.value.value
  if (shown === undefined || shown.samples.samples.length === 0) return null
  return (
    <section aria-label={serverTexts.value.resources}>
      <h2>{serverTexts.value.resources}</h2>
      <ResourceCharts shown={shown} />
    </section>
  )
}
