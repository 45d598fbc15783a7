/** A name that a player chose: always text, in its own direction, and in a constant colour. */
export function PlayerName({ name }: { readonly name: string }) {
  return (
    <bdi class="player" style={{ '--hue': String(hueOf(name)) }}>
      {name}
    </bdi>
  )
}

/** Degrees of a colour circle, the same for the same name. */
export function hueOf(name: string): number {
  let sum = 0
  for (const unit of name) sum = (sum * 31 + (unit.codePointAt(0) ?? 0)) % 3600
  return sum % 360
}
