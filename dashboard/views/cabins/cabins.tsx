/** The cabins of the farm: their places and owners, and which are hidden. */
import './cabins.css'
import type { Cabins } from '../../../client/index.ts'
import { PlayerName } from '../../parts/player-name.tsx'
import { addressOf } from '../../parts/route.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { number, textOf, texts } from '../../texts/texts.ts'
import { CabinHouse, FarmMap, type NumberedCabin } from './farm-map.tsx'
import { cabinsTexts } from './texts.ts'

export function CabinsView({ session }: { readonly session: SignedIn }) {
  const { cabins } = session.live
  return (
    <div class="view">
      <h1>{texts.value.views.cabins}</h1>
      {cabins.value === undefined ? (
        <p class="quiet" role="status">
          {cabinsTexts.value.waiting}
        </p>
      ) : (
        <Shown session={session} record={cabins.value} />
      )}
    </div>
  )
}

function Shown({ session, record }: { readonly session: SignedIn; readonly record: Cabins }) {
  const text = cabinsTexts.value
  const online = new Set(session.live.players.value?.players.map(({ id }) => id))
  const placed = new Set(record.savedPositionPlayerIds)
  const cabins = record.cabins.map(
    (cabin, at): NumberedCabin => ({
      ...cabin,
      number: at + 1,
      owner: cabin.isAssigned ? cabin.ownerName || text.unnamed : undefined,
      isLit: online.has(cabin.ownerId),
    }),
  )
  const visible = cabins.filter(({ isHidden }) => !isHidden)
  const hidden = cabins.filter(({ isHidden }) => isHidden)
  return (
    <>
      <p>
        {texts.value.sentences(
          text.summary(record.assignedCount, number(record.totalCount), number(record.assignedCount)),
          textOf(text.strategies, record.strategy),
        )}
      </p>
      {record.migration !== undefined && (
        <p>
          {text.migration(
            record.migration.fromStrategy,
            record.migration.toStrategy,
            number(record.migration.placedCount),
            number(record.migration.remainingCount),
          )}
        </p>
      )}
      {record.stackSpot !== undefined && (
        <p class="quiet">
          {text.spot(number(record.stackSpot.tileX), number(record.stackSpot.tileY))}
          {record.stackSpot.obstructionChecked && record.stackSpot.isObstructed && ` ${text.spotBlocked}`}
        </p>
      )}
      {record.mainFarmHouseEntry !== undefined && record.strategy === 'FarmhouseStack' && (
        <p class="quiet">
          {text.farmhouse(number(record.mainFarmHouseEntry.x), number(record.mainFarmHouseEntry.y))}
        </p>
      )}
      {visible.length > 0 && (
        <section class="card stack">
          <h2>{text.map}</h2>
          <FarmMap cabins={visible} season={session.live.status.value?.season ?? ''} label={text.map} />
          <p class="quiet">{text.mapNote}</p>
        </section>
      )}
      {hidden.length > 0 && (
        <section class="card">
          <h2>{text.hidden}</h2>
          <p class="quiet">{text.hiddenNote}</p>
          <HiddenCabins cabins={hidden} />
        </section>
      )}
      <section class="card">
        <h2 id="all-cabins">{text.table}</h2>
        {cabins.length === 0 ? (
          <p class="quiet">{text.none}</p>
        ) : (
          <CabinTable cabins={cabins} placed={placed} />
        )}
        {allows(session, 'admin') && (
          <p class="quiet">
            {text.toFree} <a href={addressOf('people')}>{texts.value.views.people}</a>
          </p>
        )}
      </section>
    </>
  )
}

/** Drawn in rows, because they all have one tile outside of the map. */
const HiddenCabins = ({ cabins }: { readonly cabins: readonly NumberedCabin[] }) => (
  <div class="hidden-cabins" aria-hidden="true">
    {cabins.map(({ number, owner, isLit }) => (
      <div key={number}>
        <svg viewBox="0 0 50 44" aria-hidden="true">
          <CabinHouse owner={owner} isLit={isLit} />
        </svg>
        <span>
          <b>{number}</b> <bdi>{owner ?? cabinsTexts.value.free}</bdi>
        </span>
      </div>
    ))}
  </div>
)

interface TableProps {
  readonly cabins: readonly NumberedCabin[]
  /** The players who chose the place of their cabin. */
  readonly placed: ReadonlySet<bigint>
}

function CabinTable({ cabins, placed }: TableProps) {
  const text = cabinsTexts.value
  return (
    <table class="rows" aria-labelledby="all-cabins">
      <thead>
        <tr>
          <th scope="col">{text.columns.number}</th>
          <th scope="col">{text.columns.owner}</th>
          <th scope="col">{text.columns.place}</th>
          <th scope="col">{text.columns.kind}</th>
        </tr>
      </thead>
      <tbody>
        {cabins.map((cabin) => (
          <tr key={cabin.number}>
            <td>{cabin.number}</td>
            <th scope="row">
              {cabin.owner === undefined ? (
                <span class="quiet">{text.free}</span>
              ) : cabin.ownerName === '' ? (
                text.unnamed
              ) : (
                <PlayerName name={cabin.ownerName} />
              )}
              {cabin.isLit && <span class="tag">{text.isHere}</span>}
            </th>
            <td>
              {cabin.isHidden ? text.isHidden : text.tile(number(cabin.tileX), number(cabin.tileY))}
              {placed.has(cabin.ownerId) && <span class="quiet"> · {text.placed}</span>}
            </td>
            <td>{textOf(text.kinds, cabin.type)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
