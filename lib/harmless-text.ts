/**
 * Control characters (C0, DEL, C1), of which escape sequences are made; line and paragraph separators; lone
 * surrogates; and invisible format characters, which include all marks that reverse the direction of writing. Joiners
 * and tags stay: emoji consist of them.
 */
export const harmful = /\p{Cc}|\p{Zl}|\p{Zp}|\p{Cs}|(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/gu

/**
 * A JSON text that cannot control a terminal: each harmful character is escaped, and nothing of the value is lost.
 * @param kept characters that stay as they are
 */
export const harmlessJson = (json: string, kept = '\n'): string =>
  json.replaceAll(harmful, (character) =>
    kept.includes(character)
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
  )
