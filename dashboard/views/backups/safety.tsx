/** Whether the farm is backed up, what prevents it, and a button for a backup now. */
import { useSignal } from '@preact/signals'
import type { Backups, HistoryDays } from '../../../client/index.ts'
import { AskButton, Note, Trouble, useAsked } from '../../parts/asked.tsx'
import { dateOf, dayNumber, type GameDay, seasons } from '../../parts/calendar-days.ts'
import { WithHelp } from '../../parts/help.tsx'
import { Icon } from '../../parts/icon.tsx'
import { allows, type SignedIn } from '../../session/session.ts'
import { bytes, duration } from '../../texts/texts.ts'
import { backupTexts } from './texts.ts'

interface SafetyProps {
  readonly session: SignedIn
  readonly list: Backups
  /** The last two days of the game, newest first. */
  readonly days: HistoryDays['days']
  readonly onMade: () => Promise<void>
}

export function Safety({ session, list, days, onMade }: SafetyProps) {
  const text = backupTexts.value
  const { state, backups } = list
  const asked = useAsked()
  const made = useSignal<string | undefined>(undefined)
  const newest = backups.find(({ verifiedAt }) => verifiedAt !== undefined)
  const make = async () => {
    made.value = undefined
    await asked.run(async () => {
      const backup = await session.farm.makeBackup()
      made.value =
        backup.created === false
          ? text.unchanged(dateOf(backup))
          : text.made(dateOf(backup), bytes(backup.bytes))
      await onMade()
    })
  }
  const missing = state.saves === 'absent' ? undefined : missingDay(list, days, session.live.now())
  return (
    <section class="card stack safety" data-safe={newest !== undefined && state.saves !== 'absent'}>
      <div class="safety-words">
        <Icon name="backups" />
        <div>
          <h2>
            {newest !== undefined
              ? text.safe(dateOf(newest))
              : state.saves === 'absent'
                ? text.noSaves
                : text.noneYet}
          </h2>
          <p class="quiet">
            {newest?.verifiedAt !== undefined ? (
              checkedTexts(session.live.now() - Date.parse(newest.verifiedAt))
            ) : state.saves === 'absent' ? (
              <WithHelp text={text.noSavesCure} />
            ) : (
              text.firstNight
            )}
          </p>
        </div>
        {allows(session, 'control') && state.saves !== 'absent' && (
          <AskButton of={asked} class="main" onClick={() => void make()}>
            {asked.isBusy.value ? text.making : text.make}
          </AskButton>
        )}
      </div>
      {newest !== undefined && state.saves === 'absent' && (
        <Note what={text.noSaves} cure={text.noSavesCure} />
      )}
      {state.failing !== undefined && <Failing failing={state.failing} />}
      {state.failing === undefined && missing !== undefined && (
        <Note what={text.nightMissing(dateOf(missing))} cure={text.nightMissingCure} />
      )}
      <Trouble error={asked.error.value} />
      <p role="status" class="confirmed">
        {made.value}
      </p>
      {state.saves === 'read_only' && allows(session, 'admin') && (
        <p class="quiet">
          <WithHelp text={text.readOnly} />
        </p>
      )}
    </section>
  )
}

function Failing({ failing }: { readonly failing: NonNullable<Backups['state']['failing']> }) {
  const { failing: words } = backupTexts.value
  const [what = '', cure = ''] = Object.hasOwn(words, failing) ? words[failing] : words.other
  return <Note what={what} cure={cure} />
}

/** @param ago milliseconds */
const checkedTexts = (ago: number): string =>
  ago < 60_000 ? backupTexts.value.checkedNow : backupTexts.value.checked(duration(ago))

/** Milliseconds that a backup after a night may take: farmgate looks for a whole save for five minutes. */
const backupTime = 6 * 60_000

/** The current day, when it began some minutes ago after a night with players, and has no verified backup. */
function missingDay(
  { backups }: Backups,
  [now, before]: HistoryDays['days'],
  at: number,
): GameDay | undefined {
  const season = seasons.find((name) => name === now?.season)
  if (now === undefined || before === undefined || season === undefined) return undefined
  if (before.players.length === 0 || at - Date.parse(now.beganAt) < backupTime) return undefined
  const day = { season, day: now.day, year: now.year }
  const has = backups.some(
    (backup) => backup.verifiedAt !== undefined && dayNumber(backup) === dayNumber(day),
  )
  return has ? undefined : day
}
