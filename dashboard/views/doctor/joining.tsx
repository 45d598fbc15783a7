/** Why friends cannot join: the first cause, and all checks in order. */
import { firstWrong, type JoinReport } from '../../../client/findings.ts'
import { Opened } from '../../parts/fold.tsx'
import { Icon } from '../../parts/icon.tsx'
import { joinSentence } from './join-sentence.ts'
import { doctorTexts } from './texts.ts'

export function Joining({ report }: { readonly report: JoinReport }) {
  const { joining: text, states } = doctorTexts.value
  const cause = firstWrong(report)
  return (
    <section class="card joining" aria-labelledby="joining">
      <h2 id="joining">{text.title}</h2>
      <p role="status" data-well={cause === undefined}>
        <strong>{cause === undefined ? text.nothing : joinSentence(cause.message)}</strong>
      </p>
      {cause?.next !== undefined && <p class="fix">{joinSentence(cause.next)}</p>}
      <Opened summary={text.all}>
        {() => (
          <ol class="findings">
            {report.checks.map(({ check, state, message, next }) => (
              <li key={check} data-state={state === 'wrong' ? 'broken' : state}>
                <Icon name={state === 'ok' ? 'check' : state === 'wrong' ? 'doubt' : 'more'} />
                <h3>
                  {text.checks[check]}{' '}
                  <span class="unseen">{state === 'wrong' ? states.broken : text.states[state]}</span>
                </h3>
                <p>{joinSentence(message)}</p>
                {next !== undefined && <p class="quiet">{joinSentence(next)}</p>}
              </li>
            ))}
          </ol>
        )}
      </Opened>
    </section>
  )
}
