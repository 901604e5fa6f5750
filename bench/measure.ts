import type { Target, Work } from './fixture.ts';
import { load, type Sample } from './load/load.ts';
import type { Options, StoreName } from './options.ts';
import { median } from './report/median.ts';
import { BARE, FLOOR } from './servers/floor.ts';
import { GATEHOUSE } from './servers/gatehouse.ts';
import { OIDC_PROVIDER } from './servers/oidc-provider.ts';
import { codesOf, type Stage } from './stage.ts';

export interface Measurement extends Sample {
  readonly store: StoreName;
  readonly work: Work;
  readonly server: string;
  readonly connections: number;
  /** Closed: as many as the connections can. Open: at a fixed rate, for the latency. */
  readonly loop: 'closed' | 'open';
  readonly round: number;
}

/** Whom the targets compare in which work (report/targets.ts); the rest is measured fewer times. */
const ALL_FOUR: readonly Work[] = ['introspection', 'userinfo', 'code', 'refresh'];
const scored: Readonly<Record<string, readonly Work[]>> = {
  [GATEHOUSE]: ALL_FOUR,
  [FLOOR]: ALL_FOUR,
  [OIDC_PROVIDER]: ['introspection', 'refresh'],
};
const FEWER_ROUNDS = 4;
/** Of the time of a scored measurement: what shows the growth with the connections, and what shows latency. */
const SHORT = 1.2;
const LONG = 3;
/** For the compiler. */
const WARM_UP_SECONDS = 0.5;
/** Gatehouse lets 64 password checks wait and tells the others to come back, which is not what is to be measured. */
const MOST_LOGINS = 60;
/** Of what a server can do, for the latency: busy, but not so that the queue is all there is to see. */
const OPEN_SHARE = 0.5;

export class Measuring {
  readonly measurements: Measurement[] = [];
  /** Answered by Gatehouse so far, warm-up included. */
  answered = 0;
  readonly #stage: Stage;
  readonly #options: Options;
  readonly #say: (line: string) => void;

  constructor(stage: Stage, options: Options, say: (line: string) => void) {
    this.#stage = stage;
    this.#options = options;
    this.#say = say;
  }

  async all(): Promise<void> {
    const { rounds, seconds, connections, alsoConnections, everything } = this.#options;
    const { store } = this.#stage;
    this.#say(`${store}: warming up…`);
    await this.#round(0, this.#everywhere(), connections, WARM_UP_SECONDS);
    for (let round = 1; round <= rounds; round++) {
      this.#say(`${store}: round ${round} of ${rounds}…`);
      await this.#round(round, this.#everywhere(round), connections, seconds);
    }
    for (const count of alsoConnections) {
      this.#say(`${store}: ${count} connections…`);
      await this.#round(1, this.#everywhere().filter(isNoReference), count, seconds * SHORT);
    }
    if (!everything) return;
    this.#say(`${store}: latency at half of what each can do…`);
    for (const [target, work] of this.#everywhere().filter(isNoReference)) await this.#latency(target, work);
  }

  /** Until Gatehouse has answered so many. */
  async answer(requests: number): Promise<void> {
    while (this.answered < requests) {
      this.#say(`${this.#stage.store}: ${this.answered} of ${requests} requests before the memory is read…`);
      const most = requests - this.answered;
      await this.#load(this.#stage.gatehouse, 'introspection', { connections: 64, seconds: 10, most });
    }
  }

  /** Every server with every work that it has, in that round. */
  #everywhere(round = 1): [Target, Work][] {
    const { works } = this.#options;
    const { targets } = this.#stage;
    return works.flatMap(work => {
      // Who comes first changes from round to round.
      const order = targets.map((_, index) => targets[(index + round) % targets.length] as Target);
      return order
        .filter(target => target.requests[work] && round <= this.#rounds(target, work))
        .map((target): [Target, Work] => [target, work]);
    });
  }

  #rounds(target: Target, work: Work): number {
    const { rounds } = this.#options;
    return scored[target.name]?.includes(work) ? rounds : Math.min(rounds, FEWER_ROUNDS);
  }

  /** Round 0 is for the compiler and does not count. */
  async #round(round: number, what: readonly [Target, Work][], connections: number, seconds: number): Promise<void> {
    for (const [target, work] of what) {
      const sample = await this.#load(target, work, { connections, seconds });
      if (round > 0) this.#note(target, work, connections, 'closed', round, sample);
    }
  }

  async #latency(target: Target, work: Work): Promise<void> {
    const { connections, seconds } = this.#options;
    const own = this.measurements.filter(
      entry => entry.server === target.name && entry.work === work && entry.connections === connections,
    );
    const rate = median(own.map(({ perSecond }) => perSecond)) * OPEN_SHARE;
    const sample = await this.#load(target, work, { connections, seconds: seconds * LONG, rate });
    this.#note(target, work, connections, 'open', 1, sample);
  }

  async #load(
    target: Target,
    work: Work,
    how: { connections: number; seconds: number; rate?: number; most?: number },
  ): Promise<Sample> {
    const most = work === 'code' || work === 'code-rs256' ? { most: this.#codesAtOnce(target, work) } : {};
    const connections = work === 'password' ? Math.min(how.connections, MOST_LOGINS) : how.connections;
    const sample = await load(target, work, { ...how, ...most, connections });
    if (target === this.#stage.gatehouse) this.answered += sample.requests;
    return sample;
  }

  /** A share for each of the measurements, so that the last one finds as many as the first. */
  #codesAtOnce(target: Target, work: Work): number {
    const { codes, rounds, alsoConnections } = this.#options;
    return Math.floor(codesOf(this.#stage, target, work, codes) / (rounds + alsoConnections.length + 2));
  }

  #note(target: Target, work: Work, connections: number, loop: 'closed' | 'open', round: number, sample: Sample): void {
    const { store } = this.#stage;
    this.measurements.push({ store, work, server: target.name, connections, loop, round, ...sample });
  }
}

function isNoReference([target]: readonly [Target, Work]): boolean {
  return target.name !== BARE && target.name !== FLOOR;
}
