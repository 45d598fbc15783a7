/** The simulated players: their names, accounts and chat lines. */
import type { Random } from './random.ts'

export interface Person {
  readonly name: string
  /** The Steam account: 64 bits, decimal. */
  readonly platformId: string
  /** The GOG Galaxy account of the same person; it has nothing in common with the Steam id. */
  readonly galaxyId: string
  /** How they usually connect: Steam's relay or GOG Galaxy. */
  readonly usualPath: 'relay' | 'galaxy'
}

const names = [
  'Abby',
  'Сергей',
  '美咲',
  'Zoë',
  'محمد',
  'Łukasz',
  '김민수',
  'Ελένη',
  'Ngọc Ánh',
  'José',
  'נועה',
  'ปลาวาฬ',
  'Robin O’Hara',
  'प्रिया',
  'Juniper 🌱',
  '小林 さくら',
] as const

const platformAccounts = 0x0110000100000000n
const galaxyAccounts = 46_000_000_000_000_000n

/** All players of a farm, in the order in which they first join. */
export function cast(random: Random): readonly Person[] {
  const strangers: string[] = [...names]
  return names.map(() => {
    const name = random.pick(strangers)
    strangers.splice(strangers.indexOf(name), 1)
    return {
      name,
      platformId: String(platformAccounts + BigInt(random.whole(1_000_000, 1_900_000_000))),
      galaxyId: String(galaxyAccounts + BigInt(random.whole(1_000_000, 2_000_000_000)) * 1_048_583n),
      usualPath: random.chance(0.6) ? 'relay' : 'galaxy',
    }
  })
}

/** The connection id of a person on one of the two join paths. */
export const connectionIdOf = (person: Person, path: Person['usualPath']): string =>
  path === 'relay' ? `SN_${person.platformId}` : `GN_${person.galaxyId}`

export const smallTalk = [
  'good morning everyone',
  'anyone got spare wood?',
  'the parsnips are ready 🥕',
  'who left the gate open again',
  'доброе утро, ферма!',
  '今日は釣りに行きます',
  'heading to the mines, floor 40 today',
  'i put 200 stone in the chest by the fence',
  'is it raining tomorrow?',
  'ça pousse bien ici',
  'my cat is stuck behind the shipping bin',
  'can someone water the melons?',
  '저는 낚시하러 갈게요',
  'selling everything, we need the barn',
  "Pierre's is closed, it's Wednesday",
  'found a prismatic shard!!!',
  'just one more day…',
  '¿quién tiene la caña?',
] as const

export const goodNights = ['good night 🌙', 'off to bed', 'zzz', 'おやすみ', 'спокойной ночи'] as const

/** Answers of players to a chat line from the API. */
export const answers = [
  (author: string) => `hi ${author}!`,
  (author: string) => `${author}: come and join us`,
  () => 'ooh, a message from the web',
  () => 'lol',
] as const
