/** What was said, shown and acknowledged in a simulation, and what may not be broken. */

export const places = ['farm', 'edge'] as const
export type Place = (typeof places)[number]

interface Line {
  readonly message: string
  readonly seq: number
  readonly at: number
  /** The farm's process ended before it was on the disk. */
  isLost: boolean
  readonly shownAt: Set<Place>
}

interface Key {
  readonly id: string
  readonly key: string
  readonly madeAt: number
  /** `asked` while it is unknown whether it was revoked. */
  revoked: 'no' | 'asked' | { readonly at: number }
}

/** A write with a value that no other has. */
interface Write {
  readonly value: number
  readonly place: Place
  readonly sentAt: number
  endedAt?: number
  /** Undefined when no answer came. */
  status?: number | undefined
  readonly performedAt: number[]
  /** Nothing has happened to the link until its row was complete, where it went over the link. */
  isSteady?: boolean
}

/** A line that a client sent to the game. */
interface Sent {
  readonly client: string
  answer: 'none' | 'sent' | 'refused' | 'unknown'
  said: number
}

export interface AuditRow {
  readonly action: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly outcome: string
}

/** Milliseconds in which a change of the keys counts everywhere. */
const soon = 1000
/** Milliseconds of the newest records that a killed process may lose. */
const mayBeLost = 1100

/** A promise that was broken. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

export class Model {
  readonly #elapsed: () => number
  readonly #lines = new Map<number, Line>()
  readonly #numberOf = new Map<string, number>()
  readonly keys: Key[] = []
  readonly #writes = new Map<number, Write>()
  readonly sent = new Map<string, Sent>()
  /** When processes of the farm were killed. */
  readonly #kills: number[] = []
  /** Since when the link has been open without any trouble; undefined while it is not. */
  #linkedSince: number | undefined
  /** Which opening of the link it was. */
  #opening: string | undefined
  #newest = 0
  /** Whether the whole audit was compared. */
  isAudited = false

  /** @param elapsed milliseconds since the start */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  get newest(): number {
    return this.#newest
  }

  /** The farm's process has numbered a line. */
  numbered(seq: number, message: string): void {
    if (this.#lines.has(seq)) throw new Broken(`two lines have the number ${seq}`)
    if (this.#numberOf.has(message)) throw new Broken(`the farm numbered "${message}" twice`)
    if (seq <= this.#newest) throw new Broken(`the number ${seq} of "${message}" is below ${this.#newest}`)
    this.#newest = seq
    this.#numberOf.set(message, seq)
    this.#lines.set(seq, { message, seq, at: this.#elapsed(), isLost: false, shownAt: new Set() })
  }

  /** A client got a line. */
  shown(place: Place, client: string, seq: number, message: string): void {
    const line = this.#lines.get(seq)
    if (line?.message !== message)
      throw new Broken(`${client} got "${message}" as ${seq}, which is ${line?.message ?? 'no line'}`)
    line.shownAt.add(place)
  }

  /** A client got a `gap` over these numbers. */
  missing(place: Place, client: string, from: number, to: number): void {
    for (const line of this.#lines.values())
      if (
        line.seq >= from &&
        line.seq <= to &&
        (!line.isLost || line.shownAt.has(place)) &&
        !(place === 'farm' && line.isLost)
      )
        throw new Broken(`${client} got a gap over ${line.seq}, "${line.message}", which is there`)
  }

  /** The farm's process has ended. @param kept the numbers on its disk */
  ended(kept: ReadonlySet<number>, isKilled: boolean): void {
    if (isKilled) this.#kills.push(this.#elapsed())
    for (const line of this.#lines.values()) {
      if (line.isLost || kept.has(line.seq)) continue
      if (!isKilled || this.#elapsed() - line.at > mayBeLost)
        throw new Broken(`line ${line.seq} of ${line.at} ms was not on the disk when the farm ended`)
      line.isLost = true
    }
  }

  /** Something happens to the link, or to one of its ends: only the next one is known to be without trouble. */
  troubled(): void {
    this.#linkedSince = undefined
  }

  /** @param opening which opening of the link it is; undefined while it is not open */
  linked(opening: string | undefined): void {
    if (opening === this.#opening) return
    this.#opening = opening
    this.#linkedSince = opening === undefined ? undefined : this.#elapsed()
  }

  /** Whether a call at the place has reached the farm, and its answer the place, since then. */
  isSteadySince(place: Place, at: number): boolean {
    return place === 'farm' || (this.#linkedSince ?? Number.POSITIVE_INFINITY) < at
  }

  /** A new key was acknowledged. */
  made({ id, key }: Pick<Key, 'id' | 'key'>): void {
    this.keys.push({ id, key, madeAt: this.#elapsed(), revoked: 'no' })
  }

  /**
   * A caller used a named key.
   * @param before whether it was revoked when it was sent, at `sentAt`
   * @param status of the answer
   */
  used(
    place: Place,
    { id, revoked, madeAt }: Key,
    before: Key['revoked'],
    sentAt: number,
    status: number,
  ): void {
    const isKnown = (at: number) => sentAt > at + soon && this.isSteadySince(place, sentAt - soon)
    if (typeof before === 'object' && isKnown(before.at) && status === 200)
      throw new Broken(`key ${id}, revoked at ${before.at} ms, was accepted at the ${place}`)
    if (revoked === 'no' && isKnown(madeAt) && status === 401)
      throw new Broken(`key ${id} of ${madeAt} ms was not accepted at the ${place}`)
  }

  /** Someone asks for a write. @param value which no other write has */
  writes(value: number, place: Place): Write {
    const write: Write = { value, place, sentAt: this.#elapsed(), performedAt: [] }
    this.#writes.set(value, write)
    return write
  }

  /** The game has made a write. */
  performed(value: number): void {
    const write = this.#writes.get(value)
    if (write === undefined) throw new Broken(`a write that no one asked for: ${value}`)
    write.performedAt.push(this.#elapsed())
    if (write.performedAt.length > 1) throw new Broken(`write ${value} was made twice`)
  }

  /** The answer to a write came, or none will come. */
  answered(write: Write, status: number | undefined): void {
    write.status = status
    write.endedAt = this.#elapsed()
    const isMade = write.performedAt.length > 0
    if (status === 200 && !isMade) throw new Broken(`write ${write.value} is 200 and was not made`)
    if (status !== undefined && status !== 200 && status !== 504 && isMade)
      throw new Broken(`write ${write.value} is ${status} and was made`)
  }

  /** Call this when the end of a write has had time to reach its row. */
  settled(write: Write): void {
    write.isSteady = this.isSteadySince(write.place, write.sentAt)
  }

  /** A client's line was shown to the players. */
  said(message: string): void {
    const sent = this.sent.get(message)
    if (sent === undefined) throw new Broken(`the game got "${message}", which no client has sent`)
    sent.said += 1
    if (sent.said > 1) throw new Broken(`the game got "${message}" twice`)
    if (sent.answer === 'refused') throw new Broken(`the game got "${message}" after it was refused`)
  }

  /** A client learned what became of its line. */
  told(message: string, answer: Exclude<Sent['answer'], 'none'>): void {
    const sent = this.sent.get(message)
    if (sent === undefined || sent.answer !== 'none') throw new Broken(`a second answer to "${message}"`)
    sent.answer = answer
    if (answer === 'sent' && sent.said !== 1) throw new Broken(`"${message}" is confirmed and was not said`)
    if (answer === 'refused' && sent.said > 0) throw new Broken(`"${message}" is refused and was said`)
  }

  /** All rows of the audit, after all faults have stopped. */
  audited(rows: readonly AuditRow[]): void {
    this.isAudited = true
    for (const write of this.#writes.values()) {
      const own = rows.filter(
        ({ action, parameters }) =>
          action === 'setLoginTimeout' && parameters['value'] === String(write.value),
      )
      this.#checkRows(write, own)
    }
  }

  #checkRows(
    { value, status, performedAt: [madeAt], sentAt, endedAt, isSteady = false }: Write,
    rows: readonly AuditRow[],
  ): void {
    if (rows.length > 1) throw new Broken(`write ${value} has ${rows.length} rows in the audit`)
    const outcome = rows[0]?.outcome
    const wasKilled = this.#kills.some((at) => at >= sentAt && at <= (endedAt ?? Infinity) + mayBeLost)
    if (outcome === 'done' && madeAt === undefined)
      throw new Broken(`write ${value} was not made, and its row is done`)
    if (madeAt !== undefined && (outcome === 'refused' || outcome === 'failed'))
      throw new Broken(`write ${value} was made, and its row is ${outcome}`)
    if (madeAt !== undefined && outcome === undefined && !wasKilled)
      throw new Broken(`write ${value} was made, and has no row`)
    if (wasKilled || !isSteady) return
    if (status === 200 && outcome !== 'done')
      throw new Broken(`write ${value} is 200, and its row is ${outcome ?? 'missing'}`)
    if (status === 504 && outcome !== 'unknown')
      throw new Broken(`write ${value} is 504, and its row is ${outcome ?? 'missing'}`)
  }
}
