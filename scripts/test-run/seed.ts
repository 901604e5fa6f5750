/** Of every random choice in tests: `npm test` makes the same ones each time, `npm run test:long` new ones. */
export const FIXED_SEED = 20_261_118;

export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
