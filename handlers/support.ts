/** The port of the bundle for asking for help, in `services/support/`. */
export interface Support {
  /**
   * A zip of what shows the state of the farm, without secrets, addresses and e-mails.
   * @param hasNames whether names of players stay as they are; otherwise each is one token
   */
  bundle(hasNames: boolean): Promise<Uint8Array>
}
