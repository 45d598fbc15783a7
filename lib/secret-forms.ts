/** The forms of a secret in other texts: as it is, inside a JSON string, and inside a URL. */
export const formsOf = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed()),
]
