/**
 * Programs for the existing server get the same answers through farmgate. This list has every exception, with its
 * reason.
 */
import { describe, expect, test } from 'vitest'
import { both, type Case } from './asking.ts'
import { otherAnswers, withAddedMembers } from './other-answers.ts'
import { sameAnswers } from './same-answers.ts'

const name = ({ ask: asked, body = '', authorization, isUnsized }: Case) =>
  `${asked}${body && ` with ${body}`}${authorization === undefined ? '' : ` with '${authorization}' as its key`}${isUnsized ? ' without a length' : ''}`

describe('a program that requests', () => {
  for (const one of sameAnswers)
    test(`${name(one)} gets the same answer from farmgate as from the game, with the text of each id and the state of the records added`, async () => {
      const { game, farmgate } = await both(one)
      expect(farmgate).toEqual(withAddedMembers(game))
    })

  for (const one of otherAnswers)
    test(`${name(one)} gets another answer (${one.why})`, async () => {
      const { game, farmgate } = await both(one)
      expect(game).toMatchObject(one.game)
      expect(farmgate).toMatchObject(one.farmgate)
    })
})
