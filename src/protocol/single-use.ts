/**
 * For how long a `jti` is remembered (RFC 7523 section 3, RFC 9449 section 11.1). The store keeps an identifier under the end of a block of
 * time, so that what ends at one time is side by side and goes at once. `time` is what the JWT itself says: its expiry, or when it was made.
 * Two JWTs with one `jti` can both be valid at a moment if their times differ by `within` seconds at most: such two share a block.
 */
export interface UsedAt {
  readonly time: number;
  readonly within: number;
}

/** In most uses one block is enough: its length is so many times `within`. */
const BLOCK_LENGTH = 12;

/** The ends of the blocks that a use counts in, one or two, the earlier one first. */
export function endsOfUse({ time, within }: UsedAt): number[] {
  const length = BLOCK_LENGTH * within;
  const blockOf = (at: number) => Math.floor(at / length);
  const [first, last] = [blockOf(time - within / 2), blockOf(time + within / 2)];
  // Of what counts in a block, nothing is valid later than that.
  const endOf = (block: number) => (block + 1) * length + 2 * within;
  return first === last ? [endOf(first)] : [endOf(first), endOf(last)];
}
