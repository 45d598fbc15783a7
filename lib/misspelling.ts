/** Finds the variable that a misspelt name means, such as `GAME_API_URL` for `GAME_API_URI`. */

/** Names of other programs, and of .env.example for the game, that differ from a known name by two letters or fewer: they are not misspellings. */
const namesOfOtherPrograms: ReadonlySet<string> = new Set(['GAME_ID', 'GAME_PORT', 'LOGLEVEL', 'SESSION_ID'])

/**
 * Finds the known name that an unknown one probably means: at most two letters are missing, added, changed or swapped.
 * Short names are often similar to names of other programs (`HOME` and `HOST`, `RPC_PORT` and `API_PORT`). So known
 * names below 7 letters never match, and those below 12 only when the first word is equal or itself misspelt. A known
 * name with a number after it (`API_KEY_2`) is another variable.
 * @param name a name that is not one of `known`
 * @returns the nearest known name, or undefined for none
 */
export function meantBy(name: string, known: Iterable<string>): string | undefined {
  if (namesOfOtherPrograms.has(name)) return undefined
  let nearest: string | undefined
  let nearestDistance = 3
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > 2 || !isComparable(name, candidate)) continue
    const letters = distance(name, candidate)
    if (letters >= nearestDistance) continue
    nearest = candidate
    nearestDistance = letters
  }
  return nearest
}

function isComparable(name: string, known: string): boolean {
  if (/^_?[0-9]+$/.test(name.startsWith(known) ? name.slice(known.length) : '')) return false
  return known.length >= 12 || (known.length >= 7 && isSameFirstWord(name, known))
}

/** `EGDE_URL`, `EDGR_URL` and `EDGEURL` begin with the first word of `EDGE_URL`, `APP_PORT` not with that of `API_PORT`. */
function isSameFirstWord(name: string, known: string): boolean {
  const [word = ''] = name.split('_', 1)
  const [knownWord = ''] = known.split('_', 1)
  return (
    sorted(word) === sorted(knownWord) ||
    (knownWord.length >= 4 && distance(word, knownWord) <= 1) ||
    name === known.replaceAll('_', '')
  )
}

const sorted = (word: string) => [...word].sort().join('')

/** The number of letters in which two words differ; two swapped neighbours count as one (optimal string alignment distance). */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = current
  }
  return last[b.length] ?? 0
}
