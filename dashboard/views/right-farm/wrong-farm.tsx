/** The warning on every view that the game plays another farm than expected, and what can be done. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Backup, Save, UnexpectedFarm } from '../../../client/index.ts'
import { dateOf, dayNumber } from '../../parts/calendar-days.ts'
import { DialogButton } from '../../parts/dialog.tsx'
import { ConfirmButton } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { type BegunLoad, FollowLoad, loadSave } from './load-save.tsx'
import { rightFarmTexts } from './texts.ts'
import { hostToOf, useHostTo, WhoPlayed } from './who-played.tsx'
import './right-farm.css'

interface WrongFarmProps {
  readonly session: SignedIn
}

/** Milliseconds between two looks while the warning is shown. */
const lookEvery = 5000

export function WrongFarm({ session }: WrongFarmProps) {
  const text = rightFarmTexts.value
  const { farm, live } = session
  const read = useLoaded(
    (signal) => farm.saves({}, { signal }),
    (last) => (last?.unexpected === undefined ? 0 : lookEvery),
  )
  const alarms = live.alarms.value
  useEffect(() => {
    if (alarms > 0) void read.again()
  }, [alarms])
  const { unexpected, saves = [] } = read.value.value ?? {}
  if (unexpected === undefined) return null
  const { kind, expected, found } = unexpected
  const [isFound, isExpected] = [markText(found), markText(expected)]
  // A new farm has no save before its first night, and can have the name of the expected one.
  const played = saves.find(({ name }) => isOf(name, found))
  return (
    <section class="trouble wrong-farm" role="alert">
      <p>
        <strong>{text.alarm[kind](isFound, isExpected)}</strong> {text.safe}
      </p>
      {allows(session, 'admin') && (
        <div class="buttons">
          <LoadAgain session={session} unexpected={unexpected} saves={saves} onDone={read.again} />
          {played === undefined ? (
            <DialogButton label={text.right} title={text.rightTitle}>
              <p>{text.notSaved}</p>
            </DialogButton>
          ) : (
            <ConfirmButton
              label={text.right}
              title={text.rightTitle}
              kind="main"
              ask={() => farm.expectSave({ name: played.name })}
              onDone={read.again}
            >
              <p>{text.willExpect(isFound, expected.name)}</p>
            </ConfirmButton>
          )}
        </div>
      )}
    </section>
  )
}

type Mark = UnexpectedFarm['expected']

/** A farm with its day, where that is known. */
function markText({ name, season, day, year }: Mark): string {
  if (season === undefined || day === undefined || year === undefined) return name
  return rightFarmTexts.value.on(name, dateOf({ season, day, year }))
}

const isOf = (save: string, { number }: Mark): boolean => number !== undefined && save.endsWith(`_${number}`)

const saveOf = (saves: readonly Save[], mark: Mark): Save | undefined =>
  saves.find(({ name }) => isOf(name, mark)) ?? saves.find(({ farmName }) => farmName === mark.name)

interface LoadAgainProps extends WrongFarmProps {
  readonly unexpected: UnexpectedFarm
  readonly saves: readonly Save[]
  readonly onDone: () => Promise<void>
}

function LoadAgain({ session, unexpected, saves, onDone }: LoadAgainProps) {
  const text = rightFarmTexts.value
  const { farm } = session
  const begun = useSignal<BegunLoad>('loaded')
  const backups = useLoaded(async (signal) => (await farm.backups({}, { signal })).backups)
  const label = text.again(unexpected.expected.name)
  const hostTo = useHostTo()
  const { what, load, chooses } = wayBack(session, unexpected, saves, backups.value.value ?? [])
  if (load === undefined)
    return (
      <DialogButton label={label} title={label}>
        <p>{what}</p>
      </DialogButton>
    )
  return (
    <ConfirmButton
      label={label}
      kind="main"
      ask={async () => {
        begun.value = await load(hostToOf(hostTo))
      }}
      onDone={onDone}
      done={<FollowLoad farm={farm} begun={begun.value} done={text.begun} onEnd={onDone} />}
    >
      <p>{what}</p>
      {chooses !== undefined && <WhoPlayed farm={farm} save={chooses} of={hostTo} />}
    </ConfirmButton>
  )
}

interface WayBack {
  /** What it does, or why there is none. */
  readonly what: string
  readonly load?: (hostTo: string | undefined) => ReturnType<typeof loadSave>
  /** The save that it chooses. */
  readonly chooses?: Save
}

/** How the expected farm comes back: its save is loaded, or the game is restarted, or a backup is restored. */
function wayBack(
  session: SignedIn,
  { kind, expected }: UnexpectedFarm,
  saves: readonly Save[],
  backups: readonly Backup[],
): WayBack {
  const text = rightFarmTexts.value
  const { farm, hasHost } = session
  const save = saveOf(saves, expected)
  if (save !== undefined && kind !== 'earlier_day')
    return {
      what: text.willChoose(save.name),
      load: (hostTo) => loadSave(session, { name: save.name, hostTo }),
      chooses: save,
    }
  // The game refuses to load the save that it plays.
  if (save !== undefined && dayOf(save) >= dayOf(expected)) {
    if (!hasHost) return { what: text.noHost }
    return { what: text.willRestart(dateOf(save)), load: async () => (await farm.restartGame({})).operation }
  }
  const backup = newestOf(backups, expected)
  if (backup === undefined) return { what: text.nothing }
  return {
    what: text.willRestore(dateOf(backup)),
    async load() {
      await farm.restoreBackup({ id: backup.id })
      return 'loaded'
    },
  }
}

/** 0 of a farm whose day is not known. */
const dayOf = ({ season, day, year }: Omit<Mark, 'name'>): number =>
  season === undefined || day === undefined || year === undefined ? 0 : dayNumber({ season, day, year })

/** The one of the latest day; of several, the one made last. */
const newestOf = (backups: readonly Backup[], expected: Mark): Backup | undefined =>
  backups
    .filter(({ save, verifiedAt }) => verifiedAt !== undefined && isOf(save, expected))
    .toSorted((one, other) => dayNumber(other) - dayNumber(one) || (one.madeAt < other.madeAt ? 1 : -1))[0]
