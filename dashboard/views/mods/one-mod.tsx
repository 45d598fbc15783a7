/** One mod of the list, with what is wrong with it and what can be done with it. */

import type { Mod, ModSide } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { Facts, Fold } from '../../parts/fold.tsx'
import { Choice, ConfirmButton } from '../../parts/form.tsx'
import type { SignedIn } from '../../session/session.ts'
import { modsTexts } from './texts.ts'

interface OneModProps {
  readonly session: SignedIn
  readonly mod: Mod
  /** Names of the enabled mods that need it. */
  readonly neededBy: readonly string[]
  readonly mayChange: boolean
  readonly onChange: () => Promise<void>
}

const sides: readonly ModSide[] = ['unknown', 'players', 'server']

export function OneMod({ session, mod, neededBy, mayChange, onChange }: OneModProps) {
  const text = modsTexts.value
  const { name, version, author, description, enabled, problems, dependencies, contentFor, update, side } =
    mod
  const { moreProblems, moreDependencies } = mod
  const asked = useAsked()
  const change = (ask: () => Promise<unknown>) => void asked.run(ask).then(onChange)
  // Several folders can have one id.
  const id = mod.folder
  const force = neededBy.length > 0
  const needed = force && <p>{text.neededBy(neededBy)}</p>
  const shown = (
    <p>
      <bdi>{name}</bdi> {version}
    </p>
  )
  const chosen = {
    get value() {
      return side
    },
    set value(next: ModSide) {
      change(() => session.farm.changeMod({ id, side: next }))
    },
  }
  return (
    <Fold
      state={!enabled ? 'unknown' : problems.length > 0 ? 'failed' : 'done'}
      summary={
        <>
          <span class="what">
            <bdi>{name}</bdi>
            <span class="quiet">
              {[version, author].filter((one) => one !== '').join(' · ')}
              {problems.map((one) => (
                <span key={`${one.code} ${one.of}`}> · {text.problems[one.code](one.of ?? '')}</span>
              ))}
            </span>
          </span>
          <span class="tag">
            {!enabled ? text.off : problems.length > 0 ? text.broken : update ? text.newer : text.on}
          </span>
        </>
      }
    >
      {problems.map((one) => (
        <p class="trouble" key={`${one.code} ${one.of}`}>
          {text.problems[one.code](one.of ?? '')}
        </p>
      ))}
      {moreProblems !== undefined && <p class="trouble">{text.more(moreProblems)}</p>}
      {description !== undefined && <p dir="auto">{description}</p>}
      <Facts
        of={[
          [text.id, mod.id],
          [text.folder, mod.folder],
          [
            text.kind,
            contentFor === undefined ? text.kinds[mod.kind] : `${text.kinds.content}: ${contentFor}`,
          ],
          dependencies.length === 0
            ? undefined
            : [
                text.needs,
                [
                  ...dependencies.map(
                    (one) => `${one.id} ${one.minimumVersion ?? ''} (${text.states[one.state]})`,
                  ),
                  ...(moreDependencies === undefined ? [] : [text.more(moreDependencies)]),
                ].join(', '),
              ],
          update === undefined
            ? undefined
            : [
                text.update,
                <a href={update.url} rel="noreferrer noopener" target="_blank">
                  {update.version}
                </a>,
              ],
          mayChange ? undefined : [text.side, text.sides[side]],
        ]}
      />
      <Trouble error={asked.error.value} />
      {mayChange && (
        <>
          <Choice label={text.side} among={sides} of={chosen} texts={(one) => text.sides[one]} />
          <div class="buttons">
            {enabled && force ? (
              <ConfirmButton
                label={text.disable}
                confirm={text.disableAnyway}
                ask={() => session.farm.disableMod({ id, force })}
                onDone={onChange}
              >
                {shown}
                {needed}
              </ConfirmButton>
            ) : (
              <AskButton
                of={asked}
                onClick={() =>
                  change(() => (enabled ? session.farm.disableMod({ id }) : session.farm.enableMod({ id })))
                }
              >
                {enabled ? text.disable : text.enable}
              </AskButton>
            )}
            <ConfirmButton
              label={text.remove}
              title={text.removeTitle}
              confirm={text.removeDo}
              ask={() => session.farm.deleteMod({ id, force })}
              onDone={onChange}
            >
              {shown}
              {needed}
              <p>{text.removeHint}</p>
            </ConfirmButton>
          </div>
        </>
      )}
    </Fold>
  )
}
