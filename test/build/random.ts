/**
 * Every random choice of a test derives from SEED, so that each run of `npm test` makes the same choices; `npm run test:long` sets
 * TEST_SEED anew. A failing property prints the seed; TEST_SEED=… repeats the run.
 */
import fc from 'fast-check';
import { FIXED_SEED } from '../../scripts/test-run/seed.ts';

export const SEED = Number(process.env.TEST_SEED ?? FIXED_SEED);
if (!Number.isSafeInteger(SEED)) throw new Error(`TEST_SEED is no whole number: ${process.env.TEST_SEED}`);
fc.configureGlobal({ seed: SEED });

export { fc };
