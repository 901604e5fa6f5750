import type { Config } from './config/config.ts';
import type { Metrics } from './observe/instruments.ts';
import type { Log } from './observe/log.ts';
import type { Store } from '../assembly/store.ts';

/** Whole seconds since the Unix epoch, the NumericDate of JWTs (RFC 7519 section 2). */
export interface Clock {
  now(): number;
}

export interface Random {
  bytes(count: number): Buffer;
}

/** The dependencies that a test can replace. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: Store;
}
