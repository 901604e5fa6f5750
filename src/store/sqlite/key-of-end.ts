/** Keys of codes and tokens begin with the time they end (credentials.ts): what ended before has a lower key than this. */
export function keyOfEnd(time: number): Buffer {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(time);
  return key;
}
