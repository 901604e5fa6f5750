/**
 * How long a `jti` is remembered (RFC 7523 section 3, RFC 9449 section 11.1). The store keeps it under the end of a block of time, and
 * deletes whole blocks. `time` is what the JWT itself says: when it expires, or when it was made. Two JWTs with the same `jti` can be valid
 * at the same moment only if their times differ by `within` seconds at most; such two have a block in common.
 */
export interface UsedAt {
  readonly time: number;
  readonly within: number;
}

/** How many times `within` a block is long. The longer, the more rarely a use is near the end of its block and counts in two. */
const BLOCK_LENGTH = 12;

/** The ends of the blocks that a use counts in, one or two, the earlier one first. */
export function endsOfUse({ time, within }: UsedAt): number[] {
  const length = BLOCK_LENGTH * within;
  const blockOf = (at: number) => Math.floor(at / length);
  const [first, last] = [blockOf(time - within / 2), blockOf(time + within / 2)];
  // No JWT that counts in the block is valid later than that.
  const endOf = (block: number) => (block + 1) * length + 2 * within;
  return first === last ? [endOf(first)] : [endOf(first), endOf(last)];
}
