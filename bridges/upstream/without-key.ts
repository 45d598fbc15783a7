/** A shorter key is not secret, and its letters can be in any text by chance. */
const minSecretLength = 8

/**
 * Removes the key from what the game sends: a game, or a proxy before it, that repeats the key in an error, its status
 * or a chat line would otherwise put it into farmgate's log and answers.
 * @returns a function that replaces the key in a JSON or other text by `***`, also where letters of it are escaped
 */
export function withoutKey(key: string): (text: string) => string {
  if (key.length < minSecretLength) return (text) => text
  const escaped = new RegExp(Array.from(key, anySpelling).join(''), 'g')
  return (text) => text.replace(escaped, '***')
}

/** Matches a visible ASCII character as it is, after a backslash, and as `\u0041`. */
function anySpelling(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')
  const digits = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
  const literal = character.replace(/[^A-Za-z0-9 ]/, '\\$&')
  return `(?:\\\\?${literal}|\\\\u${digits})`
}
