import { Counters, exposition, type Family, Histogram, type Source, series, type Together } from './metrics.ts';

/** What Gatehouse measures of itself. docs/operations.md has the list with what each is good for. */
export interface Metrics {
  readonly tokens: Counters<TokenKind>;
  readonly logins: Counters<LoginOutcome>;
  /** Undefined when nobody collects metrics: then nothing is timed. */
  readonly timing: Timing | undefined;
  add(source: Source): void;
  /** A number that is looked up when somebody asks; undefined: not now. */
  watch(gauge: Gauge): void;
  /** Seconds since `renew` was last called, or since now. */
  age(gauge: Omit<Gauge, 'read'>): { renew(): void };
  families(): Family[];
  /** Of this process, or of all that serve together on this machine. */
  exposition(): Promise<string>;
}

const tokenKinds = ['code', 'access', 'refresh', 'id'] as const;
export type TokenKind = (typeof tokenKinds)[number];
const loginOutcomes = ['right', 'wrong', 'throttled', 'busy'] as const;
export type LoginOutcome = (typeof loginOutcomes)[number];

export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly together: Together;
  /** Only grows, as long as the process lives. */
  readonly counts?: boolean;
  read(): number | undefined;
}

export interface Timing {
  readonly requests: RequestTimes;
  readonly store: StoreTimes;
}

export function createMetrics(timed: boolean, ofAll?: () => Promise<string>): Metrics {
  const tokens = new Counters('gatehouse_tokens_issued_total', 'Codes and tokens handed out.', 'kind', tokenKinds);
  const logins = new Counters('gatehouse_logins_total', 'Passwords presented, by outcome.', 'outcome', loginOutcomes);
  const timing = timed ? { requests: new RequestTimes(), store: new StoreTimes() } : undefined;
  const sources: Source[] = [tokens, logins];
  const add = (source: Source) => {
    sources.push(source);
  };
  const watch = (gauge: Gauge) => add({ family: () => familyOf(gauge) });
  const families = () => [
    ...(timing ? [...timing.requests.families(), ...timing.store.families()] : []),
    ...sources.map(source => source.family()),
  ];
  return {
    tokens,
    logins,
    timing,
    add,
    watch,
    age(gauge) {
      let since = performance.now();
      watch({ ...gauge, read: () => (performance.now() - since) / 1000 });
      return {
        renew: () => {
          since = performance.now();
        },
      };
    },
    families,
    exposition: ofAll ?? (async () => exposition(families())),
  };
}

function familyOf({ name, help, together, counts, read }: Gauge): Family {
  const value = read();
  return {
    name,
    help,
    kind: counts ? 'counter' : 'gauge',
    together,
    samples: value === undefined ? [] : [[series(name), value]],
  };
}

const REQUEST_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STORE_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const STATUS_CLASSES = 6;

/** By route and class of status; refusals also by their error, as a count, since a histogram of each would be many series. */
export class RequestTimes {
  readonly #routes = new Map<
    string,
    { readonly byClass: readonly Histogram[]; readonly errors: Map<string, number> }
  >();

  /** `route` and `error` are names of ours, never what a caller wrote. */
  note(route: string, status: number, error: string | undefined, milliseconds: number): void {
    const { byClass, errors } = this.#routes.get(route) ?? this.#begin(route);
    byClass[(status / 100) | 0]?.observe(milliseconds);
    if (error !== undefined) errors.set(error, (errors.get(error) ?? 0) + 1);
  }

  #begin(route: string) {
    const byClass = Array.from({ length: STATUS_CLASSES }, () => new Histogram(REQUEST_BOUNDS));
    const entry = { byClass, errors: new Map<string, number>() };
    this.#routes.set(route, entry);
    return entry;
  }

  families(): Family[] {
    const name = 'gatehouse_request_duration_seconds';
    const durations = [...this.#routes].flatMap(([route, { byClass }]) =>
      byClass.flatMap((times, index) => (times.count > 0 ? times.samples(name, { route, status: `${index}xx` }) : [])),
    );
    const refusals = 'gatehouse_request_errors_total';
    const counts = [...this.#routes].flatMap(([route, { errors }]) =>
      [...errors].map(([error, count]) => [series(refusals, { route, error }), count] as const),
    );
    const help = 'From the head of a request to its answer, by route and class of status.';
    return [
      { name, help, kind: 'histogram', together: 'sum', samples: durations },
      {
        name: refusals,
        help: 'Refusals by route and error, those that went back through the browser included.',
        kind: 'counter',
        together: 'sum',
        samples: counts,
      },
    ];
  }
}

/** By operation of the store. */
export class StoreTimes {
  readonly #operations = new Map<string, { readonly times: Histogram; failed: number }>();

  /** Asked for once for each operation, when the store is wrapped. */
  of(operation: string): { readonly times: Histogram; failed: number } {
    const entry = { times: new Histogram(STORE_BOUNDS), failed: 0 };
    this.#operations.set(operation, entry);
    return entry;
  }

  families(): Family[] {
    const name = 'gatehouse_store_operation_duration_seconds';
    const faults = 'gatehouse_store_faults_total';
    const all = [...this.#operations].filter(([, { times }]) => times.count > 0);
    return [
      {
        name,
        help: 'Time from asking the store to its outcome, by operation.',
        kind: 'histogram',
        together: 'sum',
        samples: all.flatMap(([operation, { times }]) => times.samples(name, { operation })),
      },
      {
        name: faults,
        help: 'Operations that the store could not do, by operation.',
        kind: 'counter',
        together: 'sum',
        samples: all.map(([operation, { failed }]) => [series(faults, { operation }), failed] as const),
      },
    ];
  }
}
