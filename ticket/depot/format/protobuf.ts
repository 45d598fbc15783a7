/** One field of a protobuf message: `number` for varint and fixed types, `bytes` for length-delimited ones. */
export interface Field {
  readonly id: number
  readonly number: bigint
  readonly bytes: Buffer
}

const noBytes = Buffer.alloc(0)

/**
 * Yields the fields of a protobuf message (protobuf.dev/programming-guides/encoding). It replaces the decoder of
 * steam-user, which would load 100 MB of schemas in each worker thread.
 * @throws RangeError when the message ends within a field
 */
export function* fields(message: Buffer): Generator<Field> {
  let at = 0
  const varint = (): bigint => {
    // Most numbers of a manifest fit in 28 bits and are read without bigint arithmetic.
    let small = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = message.readUInt8(at++)
      small |= (byte & 0x7f) << shift
      if (byte < 0x80) return BigInt(small)
    }
    let value = BigInt(small)
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = message.readUInt8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new RangeError('varint too long')
  }
  const take = (length: number): Buffer => {
    if (length > message.length - at) throw new RangeError('message ends early')
    at += length
    return message.subarray(at - length, at)
  }
  while (at < message.length) {
    const tag = Number(varint())
    const id = tag >>> 3
    switch (tag & 7) {
      case 0:
        yield { id, number: varint(), bytes: noBytes }
        break
      case 1:
        yield { id, number: take(8).readBigUInt64LE(), bytes: noBytes }
        break
      case 2:
        yield { id, number: 0n, bytes: take(Number(varint())) }
        break
      case 5:
        yield { id, number: BigInt(take(4).readUInt32LE()), bytes: noBytes }
        break
      default:
        throw new RangeError(`wire type ${tag & 7}`)
    }
  }
}
