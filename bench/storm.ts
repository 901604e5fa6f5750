/**
 * How much longer an introspection takes while people sign in: fifty password checks a second are asked for, more than one
 * core can do, so that they queue. A Gatehouse of its own that may use every core, as in production.
 */
import { Generator, load } from './load/load.ts';
import { startGatehouse } from './servers/gatehouse.ts';
import type { Place } from './servers/place.ts';

const LOGINS_PER_SECOND = 50;
const RATE = 500;
const LEAD_SECONDS = 0.5;

export interface Storm {
  /** Milliseconds: p99 of introspection in each round. */
  readonly idle: readonly number[];
  readonly during: readonly number[];
  readonly logins: number;
  readonly refused: number;
}

export async function measureStorm(place: Place, rounds: number, seconds: number): Promise<Storm> {
  const { target, stop } = await startGatehouse(place, { cores: 'all' });
  const others = new Generator();
  const idle: number[] = [];
  const during: number[] = [];
  let logins = 0;
  let refused = 0;
  const introspect = async () => (await load(target, 'introspection', { connections: 64, seconds, rate: RATE })).p99;
  try {
    await introspect();
    for (let round = 0; round < rounds; round++) {
      idle.push(await introspect());
      const storm = load(
        target,
        'password',
        {
          connections: 256,
          seconds: seconds + LEAD_SECONDS,
          rate: LOGINS_PER_SECOND,
          refusalsAreFine: true,
        },
        others,
      );
      await new Promise(resolve => setTimeout(resolve, LEAD_SECONDS * 1000));
      during.push(await introspect());
      const { requests, failed } = await storm;
      logins += requests;
      refused += failed;
    }
  } finally {
    others.close();
    await stop();
  }
  return { idle, during, logins, refused };
}
