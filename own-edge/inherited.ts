/** The part of this process's environment that its children need: never its keys. */
export const inherited = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'SSL_CERT_FILE', 'SSL_CERT_DIR', ...names].flatMap((name) => {
      const text = process.env[name]
      return text === undefined ? [] : [[name, text]]
    }),
  )
