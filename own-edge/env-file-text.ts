/**
 * @param names variables to include
 * @returns those that are set, in the form of a `.env` file that dotenv reads back unchanged
 */
export function envFileText(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return names
    .flatMap((name) => {
      const text = environment[name]
      return text === undefined || text === '' ? [] : [`${name}=${quoted(text)}\n`]
    })
    .join('')
}

/** In quotes that the text does not contain. wrangler expands `$` in all of them. */
function quoted(text: string): string {
  const quote = ["'", '"', '`'].find((one) => !text.includes(one)) ?? "'"
  return `${quote}${text.replaceAll('$', '\\$')}${quote}`
}
