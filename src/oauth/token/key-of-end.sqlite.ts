/** Keys of codes and tokens begin with the time of their end (people/password/sqlite.ts): rows that ended before `time` have lower keys. */
export function keyOfEnd(time: number): Buffer {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(time);
  return key;
}
