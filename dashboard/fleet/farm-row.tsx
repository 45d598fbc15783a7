import { useMemo } from 'preact/hooks'
import type { FleetEntry } from '../../client/index.ts'
import { duration, number, textOf } from '../texts/texts.ts'
import { fleetTexts } from './texts.ts'

interface FarmRowProps {
  readonly of: FleetEntry
  readonly isSelected: boolean
  readonly onSelect: (isSelected: boolean) => void
  readonly onOpen: () => void
  readonly onEdit: () => void
}

/** One farm, drawn again only when it changes. Unknown values are empty cells. */
export function FarmRow(props: FarmRowProps) {
  const text = fleetTexts.value
  return useMemo(() => cellsOf(props, text), [props.of, props.isSelected, text])
}

function cellsOf({ of, isSelected, onSelect, onOpen, onEdit }: FarmRowProps, text: typeof fleetTexts.value) {
  const { farm, trouble, players, maxPlayers, backupAgeHours, tokenDays, tags, note } = of
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={text.select(farm)}
          checked={isSelected}
          onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
        />
      </td>
      <th scope="row">
        <a
          href={`../farms/${farm}/`}
          onClick={(event) => {
            // Another tab or window opens without a key.
            if (event.ctrlKey || event.metaKey || event.shiftKey) return
            event.preventDefault()
            onOpen()
          }}
        >
          {farm}
        </a>
      </th>
      <td class={trouble.length > 0 ? 'in-trouble' : 'quiet'}>
        {trouble.length === 0
          ? text.noTrouble
          : trouble.map((code) => <p key={code}>{textOf(text.troubles, code)}</p>)}
      </td>
      <td class="value short" data-label={text.players}>
        {players !== undefined &&
          (maxPlayers === undefined ? number(players) : `${number(players)} / ${number(maxPlayers)}`)}
      </td>
      <td class="value short" data-label={text.backup}>
        {backupAgeHours !== undefined && text.ago(ageOf(backupAgeHours))}
      </td>
      <td class="value short" data-label={text.token}>
        {tokenDays !== undefined && text.days(tokenDays, number(tokenDays))}
      </td>
      <td class="value" data-label={text.version}>
        {of.farmgateVersion !== undefined && <bdi>{of.farmgateVersion}</bdi>}
        {of.version !== undefined && of.version !== '' && (
          <p class="quiet">
            {' '}
            {text.game} <bdi>{of.version}</bdi>
          </p>
        )}
      </td>
      <td>
        {tags.map((tag) => (
          <bdi key={tag} class="tag">
            {tag}
          </bdi>
        ))}
      </td>
      <td>{note !== undefined && <bdi>{note}</bdi>}</td>
      <td>
        <button type="button" aria-label={text.editOf(farm)} onClick={onEdit}>
          {text.edit}
        </button>
      </td>
    </tr>
  )
}

/** Two days and more in days. */
const ageOf = (hours: number): string => {
  const days = Math.floor(hours / 24)
  return days < 2 ? duration(hours * 3_600_000) : fleetTexts.value.days(days, number(days))
}
