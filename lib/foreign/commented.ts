/** JSON with comments and trailing commas, as games and their mods write it by hand. */
import { type ParseOptions, parse, printParseErrorCode, visit } from 'jsonc-parser'
import { checkJsonSize, type JsonLimits } from '../json.ts'

const options: ParseOptions = { allowTrailingComma: true }

/** A mistake in a text; the message names it and its line. */
export class CommentedJsonError extends Error {
  override readonly name = 'CommentedJsonError'
}

/**
 * @returns the value of a whole text without a byte order mark
 * @throws {SyntaxError} beyond a limit, as `parseJson`
 * @throws {CommentedJsonError} at the first mistake
 */
export function parseCommented(text: string, limits?: JsonLimits): unknown {
  checkJsonSize(text, limits)
  visit(
    text,
    {
      onError(code, offset) {
        // The parser would continue, past what was measured.
        const line = text.slice(0, offset).split('\n').length
        throw new CommentedJsonError(`${printParseErrorCode(code)} in line ${line}`)
      },
    },
    options,
  )
  return parse(text, undefined, options)
}

/** As `parseCommented`. @returns undefined for a text that it throws on */
export function readCommented(text: string, limits?: JsonLimits): unknown {
  try {
    return parseCommented(text, limits)
  } catch {
    return undefined
  }
}
