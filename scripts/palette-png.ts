import { crc32, deflateSync, inflateSync } from 'node:zlib';

/**
 * A screenshot of Chromium as a PNG with a palette, a third of its size. Pages have few colours, and shades of them at the edges of
 * letters: 64 that differ visibly are kept, the most frequent first, and every other becomes the nearest of them.
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const palette = mostFrequent(pixels);
  const nearest = new Map<number, number>();
  const indexOf = (colour: number) => {
    const known = nearest.get(colour);
    if (known !== undefined) return known;
    const index = nearestIndex(palette, colour);
    nearest.set(colour, index);
    return index;
  };
  // Filter 0 before each row: filters are of no use with a palette (PNG section 12.7).
  const rows = Buffer.alloc(height * (width + 1));
  pixels.forEach((colour, at) => {
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexOf(colour);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE], 8);
  const colours = Buffer.from(palette.flatMap(channelsOf));
  const parts = [chunk('IHDR', header), chunk('PLTE', colours), chunk('IDAT', deflateSync(rows, { level: 9 }))];
  return Buffer.concat([SIGNATURE, ...parts, chunk('IEND', Buffer.alloc(0))]);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS = 64;
/** Squared. Colours that are closer look the same, so a rare colour of its own is worth more than one more shade. */
const MIN_DISTANCE = 150;
/** Colour types of PNG section 11.2.1. */
const [RGB, PALETTE, RGBA] = [2, 3, 6];

interface Image {
  readonly width: number;
  readonly height: number;
  /** A number of 24 bits for each. */
  readonly pixels: Uint32Array;
}

function decode(png: Buffer): Image {
  const chunks = [...chunksOf(png)];
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  const data = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(each => each.data)));
  const [width, height, colourType] = [header?.readUInt32BE(0) ?? 0, header?.readUInt32BE(4) ?? 0, header?.[9]];
  if (header?.[8] !== 8 || (colourType !== RGB && colourType !== RGBA)) throw new Error('not a screenshot');
  const size = colourType === RGB ? 3 : 4;
  const bytes = unfilter(data, width * size, size);
  const pixels = new Uint32Array(width * height).map((_, at) => bytes.readUIntBE(at * size, 3));
  return { width, height, pixels };
}

function* chunksOf(png: Buffer) {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += length + 12;
  }
}

/** PNG section 9.2: each byte is a difference from those to its left (a), above it (b), or both and between (c). */
function unfilter(data: Buffer, rowLength: number, size: number): Buffer {
  const height = data.length / (rowLength + 1);
  const out = Buffer.alloc(height * rowLength);
  for (let row = 0; row < height; row++) {
    const filter = data[row * (rowLength + 1)] ?? 0;
    for (let column = 0; column < rowLength; column++) {
      const at = row * rowLength + column;
      const a = column < size ? 0 : (out[at - size] ?? 0);
      const b = row === 0 ? 0 : (out[at - rowLength] ?? 0);
      const c = row === 0 || column < size ? 0 : (out[at - rowLength - size] ?? 0);
      const predicted = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter] ?? 0;
      out[at] = (data[row * (rowLength + 1) + 1 + column] ?? 0) + predicted;
    }
  }
  return out;
}

function paeth(a: number, b: number, c: number): number {
  const [fromA, fromB, fromC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  if (fromA <= fromB && fromA <= fromC) return a;
  return fromB <= fromC ? b : c;
}

function mostFrequent(pixels: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const chosen: number[] = [];
  for (const [colour] of [...counts].sort(([, one], [, other]) => other - one)) {
    if (chosen.length < COLOURS && chosen.every(each => distance(each, colour) >= MIN_DISTANCE)) chosen.push(colour);
  }
  return chosen;
}

const channelsOf = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255];

function distance(one: number, other: number): number {
  const [wanted, found] = [channelsOf(one), channelsOf(other)];
  return wanted.reduce((sum, channel, index) => sum + (channel - (found[index] ?? 0)) ** 2, 0);
}

function nearestIndex(palette: readonly number[], colour: number): number {
  const distances = palette.map(each => distance(each, colour));
  return distances.indexOf(Math.min(...distances));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
