/** How a field of a message is read. Messages are given late, since they may hold themselves. */
export type FieldKind =
  'string' | 'hex' | 'varint' | 'fixed64' | 'double' | 'fixed64s' | 'doubles' | (() => Message);

/** The fields of a message by their number. */
export type Message = Readonly<Record<number, { readonly name: string; readonly kind: FieldKind }>>;

/** A message as it was read: each field is a list, since any may repeat; one that is missing has none. */
export type Decoded = Readonly<Record<string, readonly unknown[]>>;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/**
 * Reads the protobuf wire format. The SDK can only write what it sends, so what reads it here is our own; that makes it a
 * second reading of the field numbers of opentelemetry-proto as well.
 */
export function decode(bytes: Uint8Array, message: Message): Decoded {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoded: Record<string, unknown[]> = {};
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const field = message[tag >> 3];
    const wire = tag & 7;
    const length =
      { [VARINT]: 0, [FIXED64]: 8, [FIXED32]: 4 }[wire] ?? (wire === BYTES ? Number(varint()) : NaN);
    if (Number.isNaN(length)) throw new Error(`wire type ${wire}`);
    const value = wire === VARINT ? varint() : bytes.subarray(at, at + length);
    at += length;
    if (field !== undefined) (decoded[field.name] ??= []).push(...read(value, field.kind));
  }
  return decoded;
}

function read(value: bigint | Uint8Array, kind: FieldKind): unknown[] {
  if (typeof value === 'bigint') return [Number(value)];
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const each = <T>(one: (offset: number) => T): T[] =>
    Array.from({ length: value.length / 8 }, (_, index) => one(index * 8));
  if (typeof kind === 'function') return [decode(value, kind())];
  switch (kind) {
    case 'string':
      return [Buffer.from(value).toString()];
    case 'hex':
      return [Buffer.from(value).toString('hex')];
    case 'fixed64':
    case 'fixed64s':
      return each((offset) => view.getBigUint64(offset, true));
    case 'double':
    case 'doubles':
      return each((offset) => view.getFloat64(offset, true));
    case 'varint':
      throw new Error('a varint was expected');
  }
}
