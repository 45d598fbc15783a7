import { pathOf, segments } from './path.ts'
import { routes } from './routes/all-routes.ts'

const paths: ReadonlySet<string> = new Set(routes.flatMap((route) => route.paths))

/** @returns the path of the route at a path, or `other`: the label of its requests in the metrics */
export function pathLabel(pathname: string): string {
  const path = pathOf(segments(pathname))
  return paths.has(path) ? path : 'other'
}
