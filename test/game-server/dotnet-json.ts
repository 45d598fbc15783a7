/** JSON as the game's own serialiser writes it: `60.0` for doubles, bare int64, no null members. */

/** A number that .NET holds as a double: it always shows a decimal point. */
class Double {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

export const double = (value: number) => new Double(value)

const rawJson = (text: string) => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)

function doubleText(value: number): unknown {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity'
  return rawJson(Number.isInteger(value) ? `${value}.0` : `${value}`)
}

export const dotnetJson = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return rawJson(member.toString())
    if (member instanceof Double) return doubleText(member.value)
    return member === null ? undefined : member
  })

/** .NET's round-trip form of UTC: seven digits of a second. */
export const dotnetTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('Z', '4567Z')
