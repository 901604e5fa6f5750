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

/** The places that are in all of the lists, in their order. A list may have been appended to: it has no order, and may name a place twice. */
export function placesInAll(segment: number, lists: readonly Uint8Array[]): readonly number[] {
  const counts = new Uint8Array(SEGMENT);
  lists.forEach((list, index) => {
    for (let at = 0; at + 1 < list.length; at += 2) {
      const ordinal = ((list[at] as number) << 8) | (list[at + 1] as number);
      if (counts[ordinal] === index) counts[ordinal] = index + 1;
    }
  });
  const places: number[] = [];
  for (let ordinal = 0; ordinal < SEGMENT; ordinal++) {
    if (counts[ordinal] === lists.length) places.push(segment * SEGMENT + ordinal);
  }
  return places;
}
