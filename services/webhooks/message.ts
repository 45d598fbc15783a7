/** A request to a receiver. */
export interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
