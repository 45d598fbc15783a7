/** The findings of the doctor: those of `farmgate doctor` that come from the farm's own API. */
import { allFindings } from '../../../client/diagnosis.ts'
import { type Finding, type FindingCode, findings } from '../../../client/findings.ts'
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
}

const partOf = (found: FindingCode): Part =>
  partsOf.find(([begin]) => found.startsWith(`${begin}_`))?.[1] ?? 'game'

/** @throws {FarmgateError} */
export async function diagnose(session: SignedIn, signal: AbortSignal): Promise<Diagnosis> {
  const all = await allFindings(session.farm, { signal, isAdmin: allows(session, 'admin') })
  const found = all.map((finding) => ({ ...finding, part: partOf(finding.found) }))
  return {
    at: Date.now(),
    findings: found.toSorted((one, other) => parts.indexOf(one.part) - parts.indexOf(other.part)),
    troubles: found.filter((finding) => findings[finding.found] !== 'ok').length,
  }
}
