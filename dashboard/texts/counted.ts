/** Chooses the text for a number, by the rules of plural of a language. */
export function counted(language: string) {
  const rules = new Intl.PluralRules(language)
  return (n: number, one: string, other: string): string => (rules.select(n) === 'one' ? one : other)
}
