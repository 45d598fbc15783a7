/** Finds the path that an unknown one probably means, such as `/players` for `/player` or `/api/players`. */
import { Problem } from '../../handlers/problem.ts'
import { distance } from '../../lib/misspelling.ts'

/** Longer paths are not misspellings, and comparing them would cost time. */
const maxLength = 64

/** Versions and prefixes that APIs often have; this one has none. */
const prefix = /^\/(api\/)?(v\d+\/)?/

/** Documents, which are not routes of a farm at the edge: its Worker answers them. */
const documents = ['/docs', '/help', '/openapi.json', '/asyncapi.json']

const simple = (path: string) => path.toLowerCase().replace(prefix, '/').replaceAll('_', '-')

/**
 * @param path as requested, without its query
 * @param known paths that can be called; patterns such as `/assets/:file` are not suggested
 * @returns undefined when no path is near: at most a third of its letters, and at most three, may differ
 */
function nearestPath(path: string, known: Iterable<string>): string | undefined {
  if (path.length > maxLength) return undefined
  const meant = simple(path)
  let nearest: string | undefined
  let nearestDistance = Math.min(3, Math.floor((meant.length - 1) / 3)) + 1
  for (const candidate of [...known, ...documents]) {
    if (candidate === '/' || candidate.includes(':')) continue
    if (Math.abs(candidate.length - meant.length) >= nearestDistance) continue
    const letters = distance(meant, candidate.toLowerCase())
    if (letters >= nearestDistance) continue
    nearest = candidate
    nearestDistance = letters
  }
  return nearest
}

/** The 404 of a path that does not exist. @param path see `nearestPath` */
export function unknownPathProblem(path: string, known: Iterable<string>): Problem {
  const meant = nearestPath(path, known)
  const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`
  return new Problem('not_found', `Not found.${suggestion} All paths are listed at /docs`, { path })
}
