/**
 * Every random choice of a test derives from SEED, so that each run of `npm test` makes the same choices; `npm run test:long` sets
 * TEST_SEED anew. A failing property prints the seed; TEST_SEED=… repeats the run.
 */
import fc from 'fast-check';

const FIXED = 20_261_118;

export const SEED = Number(process.env.TEST_SEED ?? FIXED);
if (!Number.isSafeInteger(SEED)) throw new Error(`TEST_SEED is no whole number: ${process.env.TEST_SEED}`);
fc.configureGlobal({ seed: SEED });

export { fc };
