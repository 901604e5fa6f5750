/**
 * Every random choice of a test derives from SEED, so that each run of `npm test` makes the same choices; `npm run test:long` sets
 * TEST_SEED anew. A failing property prints the seed; TEST_SEED=… repeats the run.
 */
import fc from 'fast-check';
import { FIXED_SEED } from '../../scripts/test-run/seed.ts';

export const SEED = Number(process.env.TEST_SEED ?? FIXED_SEED);
if (!Number.isSafeInteger(SEED)) throw new Error(`TEST_SEED is no whole number: ${process.env.TEST_SEED}`);
fc.configureGlobal({ seed: SEED });

/** `npm run test:long` makes twice as many choices as `npm test`. */
export const CHOICES = process.env.TEST_LONG === 'true' ? 2 : 1;

export { fc };

const SURROGATES = { from: 0xd800, count: 0x800 };

/** Any character of Unicode, as `unit: 'binary'` of fast-check, which makes a table of them all: 2 seconds, and 84 MB for good. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map(point => String.fromCodePoint(point < SURROGATES.from ? point : point + SURROGATES.count));
