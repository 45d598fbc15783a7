/**
 * Whether a `Host` header is safe from DNS rebinding: an IP address, `localhost`, a name below it or a name of one
 * word (`ticket:3001`). With DNS rebinding, the host name of a hostile page changes to the address of this machine
 * after the page is loaded, and the page then calls it as its own origin.
 */
export const cannotBeRebound = (host: string): boolean => {
  const name = URL.parse(`http://${host}`)?.hostname ?? ''
  return /^(\[.*\]|[0-9.]+|[^.]+|.*\.localhost)$/.test(name)
}
