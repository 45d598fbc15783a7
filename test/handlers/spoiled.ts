/** A value that no schema accepts. */
const nothingKnown = Symbol('of no type that a schema has')

/** Every copy of a value in which it, or one member at any depth, has a wrong type; with the path of that member. */
export function* spoiled(value: unknown, way = ''): Generator<readonly [way: string, copy: unknown]> {
  yield [way, nothingKnown]
  if (Array.isArray(value)) {
    for (const [at, member] of value.entries())
      for (const [where, copy] of spoiled(member, `${way}/${at}`)) yield [where, value.with(at, copy)]
  } else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value))
      for (const [where, copy] of spoiled(member, `${way}/${name}`)) yield [where, { ...value, [name]: copy }]
}
