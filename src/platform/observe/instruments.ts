import { type Aggregation, type Collector, Counters, exposition, type Family, Histogram, series } from './metrics.ts';

/** The metrics of Gatehouse, for GET /metrics. docs/operations.md lists them. */
export interface Metrics {
  readonly tokens: Counters<TokenKind>;
  readonly logins: Counters<LoginOutcome>;
  readonly webhookAttempts: Counters<WebhookAttempt>;
  readonly mailAttempts: Counters<MailAttempt>;
  /** Undefined when the settings have no metrics port and no token: then nothing is timed. */
  readonly timing: Timing | undefined;
  add(collector: Collector): void;
  /** Adds a metric whose value is read at each collection. */
  watch(metric: ObservedMetric): void;
  /** Adds a gauge of the seconds since the last call of `reset`, or since this call. */
  age(metric: Omit<ObservedMetric, 'read'>): { reset(): void };
  families(): Family[];
  /** The text for the collector: of this process, or of all workers on this machine. */
  exposition(): Promise<string>;
}

const tokenKinds = ['code', 'access', 'refresh', 'id'] as const;
export type TokenKind = (typeof tokenKinds)[number];
const loginOutcomes = ['right', 'wrong', 'throttled', 'busy'] as const;
export type LoginOutcome = (typeof loginOutcomes)[number];

const webhookAttempts = ['delivered', 'postponed', 'failed'] as const;
/** `postponed`: it is sent again. `failed`: it was the last attempt. */
export type WebhookAttempt = (typeof webhookAttempts)[number];

const mailAttempts = ['sent', 'postponed', 'failed'] as const;
/** As of webhooks. */
export type MailAttempt = (typeof mailAttempts)[number];

export interface ObservedMetric {
  readonly name: string;
  readonly help: string;
  readonly aggregation: Aggregation;
  /** The value never decreases during the life of the process. */
  readonly isCounter?: boolean;
  /** Undefined: the metric has no value at this collection. */
  read(): number | undefined;
}

export interface Timing {
  readonly requests: RequestTimes;
  readonly store: StoreTimes;
}

/** `ofAllWorkers` replaces the exposition of this process by that of all workers. */
export function createMetrics(timed: boolean, ofAllWorkers?: () => Promise<string>): Metrics {
  const tokens = new Counters('gatehouse_tokens_issued_total', 'Codes and tokens handed out.', 'kind', tokenKinds);
  const logins = new Counters('gatehouse_logins_total', 'Passwords presented, by outcome.', 'outcome', loginOutcomes);
  const attempts = new Counters(
    'gatehouse_webhook_attempts_total',
    'Webhook deliveries sent, by outcome.',
    'outcome',
    webhookAttempts,
  );
  const mails = new Counters('gatehouse_mail_attempts_total', 'Mails sent, by outcome.', 'outcome', mailAttempts);
  const timing = timed ? { requests: new RequestTimes(), store: new StoreTimes() } : undefined;
  const collectors: Collector[] = [tokens, logins, attempts, mails];
  const add = (collector: Collector) => {
    collectors.push(collector);
  };
  const watch = (metric: ObservedMetric) => add({ family: () => familyOf(metric) });
  const families = () => [
    ...(timing ? [...timing.requests.families(), ...timing.store.families()] : []),
    ...collectors.map(collector => collector.family()),
  ];
  return {
    tokens,
    logins,
    webhookAttempts: attempts,
    mailAttempts: mails,
    timing,
    add,
    watch,
    age(metric) {
      let since = performance.now();
      watch({ ...metric, read: () => (performance.now() - since) / 1000 });
      return {
        reset: () => {
          since = performance.now();
        },
      };
    },
    families,
    exposition: ofAllWorkers ?? (async () => exposition(families())),
  };
}

function familyOf({ name, help, aggregation, isCounter, read }: ObservedMetric): Family {
  const value = read();
  return {
    name,
    help,
    kind: isCounter ? 'counter' : 'gauge',
    aggregation,
    samples: value === undefined ? [] : [[series(name), value]],
  };
}

/** Upper bounds of the histogram buckets, in seconds. */
const REQUEST_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STORE_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** 0 is unused, 1 to 5 stand for 1xx to 5xx. */
const STATUS_CLASSES = 6;

/**
 * Durations by route and class of status. Errors are only counted, by route and error code: a histogram for each error would
 * make too many time series.
 */
class RequestTimes {
  readonly #routes = new Map<
    string,
    { readonly byClass: readonly Histogram[]; readonly errors: Map<string, number> }
  >();

  /** `route` and `error` must be names from the server's own tables: text of a caller would make unlimited time series. */
  record(route: string, status: number, error: string | undefined, milliseconds: number): void {
    const { byClass, errors } = this.#routes.get(route) ?? this.#addRoute(route);
    byClass[(status / 100) | 0]?.observe(milliseconds);
    if (error !== undefined) errors.set(error, (errors.get(error) ?? 0) + 1);
  }

  #addRoute(route: string) {
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
      { name, help, kind: 'histogram', aggregation: 'sum', samples: durations },
      {
        name: refusals,
        help: 'Refusals by route and error, those that went back through the browser included.',
        kind: 'counter',
        aggregation: 'sum',
        samples: counts,
      },
    ];
  }
}

/** Durations and faults by store operation. */
export class StoreTimes {
  readonly #operations = new Map<string, { readonly times: Histogram; failed: number }>();

  /** Called once for each operation, when the store is wrapped. */
  addOperation(operation: string): { readonly times: Histogram; failed: number } {
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
        aggregation: 'sum',
        samples: all.flatMap(([operation, { times }]) => times.samples(name, { operation })),
      },
      {
        name: faults,
        help: 'Operations that the store could not do, by operation.',
        kind: 'counter',
        aggregation: 'sum',
        samples: all.map(([operation, { failed }]) => [series(faults, { operation }), failed] as const),
      },
    ];
  }
}
