import type { Config } from './config.ts';
import type { Metrics } from './observe/instruments.ts';
import type { Log } from './observe/log.ts';
import type { Store } from './store/store.ts';

/** Whole seconds since the Unix epoch: the NumericDate of every token. */
export interface Clock {
  now(): number;
}

export interface Random {
  bytes(count: number): Buffer;
}

/** Everything that varies between a running server and a test. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: Store;
}
