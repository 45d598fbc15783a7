/** The third argument of a reviver, which TypeScript's library does not know yet: the text of a number as it was sent. */
interface NumberSource {
  readonly source?: string
}

/**
 * Parses JSON; whole numbers that a double cannot hold become bigints with every digit. The game server sends 64-bit
 * ids as bare numbers. @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  const reviver = (_key: string, value: unknown, context?: NumberSource): unknown => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
    return context?.source && /^-?[0-9]+$/.test(context.source) ? BigInt(context.source) : value
  }
  return JSON.parse(text, reviver)
}
