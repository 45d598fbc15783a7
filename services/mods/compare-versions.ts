import compare from 'semver/functions/compare.js'

/**
 * Compares versions as SMAPI writes them, by the package of npm: SMAPI follows the same rules, with a missing third
 * number as 0.
 * @returns whether the first is older; undefined when one is not a version
 */
export function isOlder(one: string, other: string): boolean | undefined {
  try {
    return compare(whole(one), whole(other), { loose: true }) < 0
  } catch {
    return undefined
  }
}

const whole = (version: string): string =>
  version
    .trim()
    .toLowerCase()
    .replace(/^(\d+\.\d+)(?=$|[-+])/, '$1.0')
