/** @returns whether a text can be an account name. It becomes part of a file name, so `/` and `..` are not allowed. */
export function isUserName(text: string): boolean {
  return /^[\p{L}\p{N}_@-][\p{L}\p{N}_.@-]{0,63}$/u.test(text) && !text.includes('..')
}
