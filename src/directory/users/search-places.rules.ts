/**
 * A user in the index of grams has a place, a number. So many places are a segment; in a segment, a gram has one list of the users whose text has
 * it, two bytes each. The index grows at its end, so that an import writes few rows, and each of them once or twice.
 */
export const SEGMENT = 16_384;

export function segmentOf(place: number): number {
  return Math.floor(place / SEGMENT);
}

/** The list of a gram, in hexadecimal digits. */
export function hexOf(ordinals: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(ordinals.length * 2);
  ordinals.forEach((ordinal, index) => {
    bytes.writeUInt16BE(ordinal, index * 2);
  });
  return bytes.toString('hex');
}

/** Of lists that were appended to each other: in any order, and maybe twice. */
export function ordinalsIn(list: Uint8Array): Set<number> {
  const ordinals = new Set<number>();
  for (let at = 0; at + 1 < list.length; at += 2) {
    ordinals.add(((list[at] as number) << 8) | (list[at + 1] as number));
  }
  return ordinals;
}

export function placesIn(segment: number, ordinals: ReadonlySet<number>): readonly number[] {
  return [...ordinals].sort((one, other) => one - other).map(ordinal => segment * SEGMENT + ordinal);
}
