/** bench/recorded.json: the ratios to the floor that bench:guard holds the code to. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Work } from './fixture.ts';
import type { StoreName } from './options.ts';
import { median } from './report/median.ts';
import { ratiosOf, type StoreResult } from './report/targets.ts';
import { FLOOR } from './servers/floor.ts';

export type Recorded = Readonly<Partial<Record<StoreName, Readonly<Partial<Record<Work, number>>>>>>;

export const guarded: Readonly<Record<StoreName, readonly Work[]>> = {
  sqlite: ['introspection', 'userinfo', 'code', 'refresh'],
  postgres: ['introspection'],
};

type Measured = Pick<StoreResult, 'store' | 'measurements'>;

const file = new URL('recorded.json', import.meta.url);

export function readRecorded(): Recorded {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** By processor time of the server: machines of a CI are shared, and that is what others disturb least. */
export function floorRatios({ store, measurements }: Measured): Map<Work, number> {
  return new Map(
    guarded[store].flatMap(work => {
      const ratios = ratiosOf(measurements, work, FLOOR);
      return ratios ? [[work, median(ratios.byCpu)] as const] : [];
    }),
  );
}

/** What was not measured keeps what was recorded before. */
export function record(results: readonly Measured[]): void {
  const recorded: Record<string, object> = { ...readRecorded() };
  for (const result of results) {
    const rounded = [...floorRatios(result)].map(([work, ratio]) => [work, Math.round(ratio * 1000) / 1000]);
    recorded[result.store] = { ...recorded[result.store], ...Object.fromEntries(rounded) };
  }
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
}
