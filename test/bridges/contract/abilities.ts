/** One row for each ability of the port: the arguments with which the tests call it. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import type { Callable } from '../../../handlers/ability.ts'
import {
  type AbilityName,
  type ArgsOf,
  abilityNames,
  gameReads,
  type ReadName,
  type ResultOf,
} from '../../../handlers/game-abilities.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import { person, type Start, started } from './expectations.ts'

const samples: { readonly [Name in AbilityName]: ArgsOf<Name> } = {
  players: ['now'],
  inviteCode: [],
  farmhands: [],
  settings: [],
  cabins: [],
  rendering: [],
  stats: [],
  passwordProtection: [],
  screenshot: [],
  diagnostics: [[]],
  deleteFarmhand: [person(1n)],
  rebindFarmhand: [person(1n), '76561198000000001'],
  changeSettings: [{ server: { maxPlayers: 8 } }],
  setRendering: [1],
  setTime: [1200],
  grantAdmin: [person(1n)],
  sendChat: [{ author: 'a', message: 'b' }],
  announce: ['b'],
  setClockSpeed: [1],
  setLoginTimeout: [60],
  newGame: [{}],
  reload: [],
}

/** Optional abilities of a game: a call can fail with `unsupported`. */
export const maybeMissing: ReadonlySet<AbilityName> = new Set([
  'rebindFarmhand',
  'announce',
  'changeSettings',
  'stats',
  'screenshot',
  'setClockSpeed',
  'passwordProtection',
  'setLoginTimeout',
  'newGame',
  'reload',
  'diagnostics',
])

/** Calls an ability of a bridge with valid arguments. */
export const sampleCall = <Name extends AbilityName>(
  bridge: Callable<GameBridge, Name>,
  name: Name,
): Promise<ResultOf<Name>> => {
  return bridge[name](...samples[name])
}

export const readNames = Object.keys(gameReads) as readonly ReadName[]

/** Members of every bridge that are not abilities. */
const withoutAsking: readonly string[] = ['health', 'status', 'subscribe', 'close']

/** @param beyond names of functions that this bridge has and the port does not have */
export function abilitiesContract(start: Start, beyond: readonly string[]): void {
  describe('abilities', () => {
    test('every ability of the bridge is in the table and has its row in this suite', async () => {
      const { bridge } = await started(start)
      const functions = Object.entries(bridge).flatMap(([name, member]) =>
        typeof member === 'function' ? [name] : [],
      )
      expect(functions.sort()).toEqual([...abilityNames, ...withoutAsking, ...beyond].sort())
      expect(Object.keys(samples).sort()).toEqual([...abilityNames].sort())
    })

    test.each(readNames)('%s accepts the arguments of its row', (name) => {
      expect(v.safeParse(gameReads[name].args, samples[name]).issues).toBeUndefined()
    })

    test.each(readNames)(
      '%s answers what its row in the table says, or unsupported where the game lacks it',
      async (name) => {
        const { bridge } = await started(start)
        const answered = await sampleCall(bridge, name).then(
          (result) => v.safeParse(gameReads[name].result, result).success,
          (error: unknown) => maybeMissing.has(name) && String(error) === 'FarmError: unsupported',
        )
        expect(answered).toBe(true)
      },
    )
  })
}
