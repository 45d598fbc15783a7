/** A crowd of chat clients, in a separate process, as the phases use it. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Row, type Subject, startSubject } from '../../bench/measure.ts'
import { none } from './phase.ts'

export interface CrowdReport {
  readonly lost: number
  readonly twice: number
  /** Numbers with two texts, and texts with two numbers. */
  readonly renumbered: number
  readonly behind: number
  readonly connected: number
  readonly lines: number
  /** How often connections ended, by close code and reason. */
  readonly closings: Readonly<Record<string, number>>
}

/** Starts so many clients and waits until all are authenticated. */
export async function startCrowd(wsUrl: string, key: string, clients: number, stalled = 0): Promise<Subject> {
  const crowd = await startSubject(new URL('subjects/crowd.ts', import.meta.url), wsUrl, key)
  await crowd.call('enter', clients, stalled)
  await until(async () => (await crowd.call<number>('connected')) === clients, 120)
  return crowd
}

/** Waits until all clients are connected and have received the newest line. @returns their report */
export async function settled(crowd: Subject, clients: number): Promise<CrowdReport> {
  await crowd.call('resume')
  await until(async () => {
    const { behind, connected } = await crowd.call<CrowdReport>('report')
    return behind === 0 && connected === clients
  }, 90)
  return crowd.call<CrowdReport>('report')
}

/** The rows about lines. */
export const lineRows = ({
  lost,
  twice,
  renumbered,
  behind,
  lines,
  closings,
}: CrowdReport): readonly Row[] => [
  none('lines lost within the resume window', { lost }),
  none('lines that came twice', { twice }),
  none('lines with another number for another client', { renumbered }),
  none('clients without the newest line at the end', { behind }),
  { what: 'lines delivered', measured: String(lines) },
  { what: 'connections that ended, by close code', measured: JSON.stringify(closings) },
]

/** Checks until it is true, for at most so many seconds. */
export async function until(isSo: () => boolean | Promise<boolean>, seconds: number): Promise<boolean> {
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    if (await isSo()) return true
    await pause(100)
  }
  return false
}
