/** The findings of the doctor: those of `farmgate doctor` that come from the farm's own API. */
import { allFindings } from '../../../client/diagnosis.ts'
import {
  type Finding,
  type FindingCode,
  findings,
  type JoinReport,
  withClock,
} from '../../../client/findings.ts'
import { FarmgateError } from '../../../client/index.ts'
import { allows, type SignedIn } from '../../session/session.ts'

/** The parts of a farm, in the order in which they are shown. */
const parts = [
  'game',
  'mods',
  'host',
  'joining',
  'ticket',
  'token',
  'link',
  'disk',
  'backups',
  'copies',
  'webhooks',
  'discord',
  'update',
  'clock',
] as const
export type Part = (typeof parts)[number]

/** The part of the farm that a finding is about, by the beginning of its code. */
const partsOf: readonly (readonly [string, Part])[] = [
  ['game_host', 'host'],
  ['mods', 'mods'],
  ['game', 'game'],
  ['joining', 'joining'],
  ['ticket', 'ticket'],
  ['steam', 'ticket'],
  ['token', 'token'],
  ['link', 'link'],
  ['records', 'disk'],
  ['backups', 'backups'],
  ['copies', 'copies'],
  ['webhooks', 'webhooks'],
  ['discord', 'discord'],
  ['update', 'update'],
  ['clocks', 'clock'],
]

export interface Diagnosis {
  /** Milliseconds since 1970, by the clock of this device. */
  readonly at: number
  readonly findings: readonly (Finding & { readonly part: Part })[]
  readonly troubles: number
  /** Why friends cannot join; undefined while the farm does not answer it. */
  readonly join: JoinReport | undefined
}

const partOf = (found: FindingCode): Part =>
  partsOf.find(([begin]) => found.startsWith(`${begin}_`))?.[1] ?? 'game'

/** @throws {FarmgateError} */
export async function diagnose(session: SignedIn, signal: AbortSignal): Promise<Diagnosis> {
  const [all, report] = await Promise.all([
    allFindings(session.farm, { signal, isAdmin: allows(session, 'admin') }),
    session.farm.join({}, { signal }).catch((error: unknown) => {
      if (error instanceof FarmgateError) return undefined
      throw error
    }),
  ])
  const clock = all.find(({ found }) => found.startsWith('clocks_'))
  const found = all.map((finding) => ({ ...finding, part: partOf(finding.found) }))
  return {
    at: Date.now(),
    findings: found.toSorted((one, other) => parts.indexOf(one.part) - parts.indexOf(other.part)),
    troubles: found.filter((finding) => findings[finding.found] !== 'ok').length,
    join: report && clock && withClock(report, clock),
  }
}
