import type { AuditEntry } from '../../../client/index.ts'
import { type FactPair, Facts, Fold } from '../../parts/fold.tsx'
import { dateTime, gameClock, time } from '../../texts/texts.ts'
import { actionTexts, auditTexts } from './texts.ts'

export interface AuditRowProps {
  readonly entry: AuditEntry
  /** The day, where the row is the first one of that day. */
  readonly newDay: string | undefined
  /** The id of the key that the page is signed in with. */
  readonly ownKey: string
}

/** Characters of the parameters that a closed row shows. */
const longest = 80

/** The values of the parameters; nested ones with their names. */
function inShort(action: string, parameters: AuditEntry['parameters']): string {
  const said = asSaid(action, parameters)
  if (said !== undefined) return said
  const all = Object.values(parameters)
    .flatMap((value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([name, member]) => `${name} ${shown(member)}`)
        : shown(value),
    )
    .join(' · ')
  return all.length > longest ? `${all.slice(0, longest)}…` : all
}

/** The value of a change as people say it; undefined where its parameters are shown. */
function asSaid(action: string, { value, multiplier }: AuditEntry['parameters']): string | undefined {
  const { speeds, speed } = auditTexts.value
  if (action === 'setTime' && /^\d+$/.test(String(value))) return gameClock(Number(value))
  if (action !== 'setClockSpeed' || multiplier === undefined) return undefined
  const factor = String(multiplier)
  return Object.hasOwn(speeds, factor) ? speeds[factor] : speed(factor)
}

export function AuditRow({ entry, newDay, ownKey }: AuditRowProps) {
  const text = auditTexts.value
  const { at, key, action, outcome, status, origin, address, requestId, parameters } = entry
  const sent = Object.entries(parameters).map(
    ([name, value]): FactPair => [<code key="name">{name}</code>, <code key="value">{shown(value)}</code>],
  )
  return (
    <>
      {newDay !== undefined && <li class="audit-day">{newDay}</li>}
      <Fold
        state={outcome === 'refused' ? 'failed' : outcome}
        summary={
          <>
            <time dateTime={at}>{time(at)}</time>
            <span class="what">
              <span>
                {action === 'restoreBackup' && isDryRun(parameters)
                  ? text.restoreChecked
                  : actionTexts(action)}{' '}
                <bdi class="quiet">{inShort(action, parameters)}</bdi>
              </span>
              <bdi class="quiet">
                {key === undefined ? text.noKey : key.id === ownKey ? text.you(key.name) : key.name}
              </bdi>
            </span>
            <span class="tag">{text.outcomes[outcome]}</span>
          </>
        }
      >
        <Facts
          of={[
            ...sent,
            [text.when, dateTime(at)],
            [text.from, `${address} · ${text.origins[origin]}`],
            [text.operation, <code key="action">{action}</code>],
            status === undefined ? undefined : [text.status, String(status)],
            [text.request, <code key="request">{requestId}</code>],
          ]}
        />
      </Fold>
    </>
  )
}

/** A value as JSON. Ids are bigints, which `JSON.stringify` does not take. */
const shown = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : JSON.stringify(value, (_name, member: unknown) =>
        typeof member === 'bigint' ? String(member) : member,
      )

const isDryRun = (parameters: AuditEntry['parameters']): boolean =>
  Object.entries(parameters).some(([name, value]) => name.toLowerCase() === 'dryrun' && value === 'true')
