/** What the model assumes of users and machines. Each number can be replaced: `npm run bench:scale -- --set daily=0.5`; not the list of database machines. */

export interface Behaviour {
  /** Share of the users who come on a day. */
  readonly daily: number;
  /** Of a user who comes: passwords typed, authorizations (each gives a code and a token family), refreshes. */
  readonly logins: number;
  readonly authorizations: number;
  readonly refreshes: number;
  /** Of each access token. 0 where the access tokens are JWTs. */
  readonly introspections: number;
  /** Of each authorization. */
  readonly userinfos: number;
  /** The busiest minute against the mean of the day. */
  readonly peak: number;
  /** Share of the users who have agreed to a client on the consent page. */
  readonly consents: number;
  /** Of a user who comes: new accounts, changed profiles and passwords. Citus writes them on every worker. */
  readonly changes: number;
  /** Of a user who comes. On Citus each goes to all shards. */
  readonly logouts: number;
  /** Failed logins for each one that succeeds: each writes an event. */
  readonly failures: number;
  /** That the requests are of, each as often as any other but the largest. It matters for Citus alone. */
  readonly applications: number;
  /** The share of all requests, and of all tokens, that is of the largest application; 0: it is as large as the others. */
  readonly largest: number;
  /** Lifetime of a refresh token and of a session, in days; retention of events. */
  readonly tokenDays: number;
  readonly eventDays: number;
}

export const behaviour: Behaviour = {
  daily: 0.2,
  logins: 0.25,
  authorizations: 1,
  refreshes: 4,
  introspections: 10,
  userinfos: 1,
  peak: 3,
  consents: 0.2,
  changes: 0.05,
  logouts: 0.1,
  failures: 0.1,
  applications: 1000,
  largest: 0,
  tokenDays: 30,
  eventDays: 400,
};

/** What the peak is made of. The names are those of bench/fixture.ts. */
export const operations = ['introspection', 'userinfo', 'refresh', 'code', 'authorization', 'password'] as const;
export type Operation = (typeof operations)[number];
export type Rates = Readonly<Record<Operation, number>>;

const DAY_SECONDS = 86_400;

/** Requests per second, the mean of a day. */
export function meanRates(users: number, b: Behaviour): Rates {
  const active = (users * b.daily) / DAY_SECONDS;
  return {
    introspection: active * (b.authorizations + b.refreshes) * b.introspections,
    userinfo: active * b.authorizations * b.userinfos,
    refresh: active * b.refreshes,
    code: active * b.authorizations,
    authorization: active * b.authorizations,
    password: active * b.logins,
  };
}

/** At the peak. */
export function referenceWritesPerSecond(users: number, b: Behaviour): number {
  return ((users * b.daily * b.changes) / DAY_SECONDS) * b.peak;
}

/** At the peak. */
export function logoutsPerSecond(users: number, b: Behaviour): number {
  return ((users * b.daily * b.logouts) / DAY_SECONDS) * b.peak;
}

/** Of a user who comes, on that day: logins, failed ones, logouts, and what changes an account. */
export function eventsOfDay({ logins, failures, logouts, changes }: Behaviour): number {
  return logins * (1 + failures) + logouts + changes;
}

/** At the peak. */
export function eventsPerSecond(users: number, b: Behaviour): number {
  return ((users * b.daily * eventsOfDay(b)) / DAY_SECONDS) * b.peak;
}

export function scaled(rates: Rates, factor: number): Rates {
  return mapRates(rates, rate => rate * factor);
}

export function mapRates(rates: Rates, change: (rate: number, operation: Operation) => number): Rates {
  return Object.fromEntries(operations.map(name => [name, change(rates[name], name)])) as unknown as Rates;
}

export function total(rates: Rates): number {
  return operations.reduce((sum, name) => sum + rates[name], 0);
}

/** A machine for the database. */
export interface DatabaseMachine {
  readonly cores: number;
  readonly memoryGb: number;
  readonly diskGb: number;
}

export interface Machines {
  readonly nodeCores: number;
  /** From the smallest to the largest: the first that is large enough is taken, and several of the last. */
  readonly database: readonly DatabaseMachine[];
  /** How fast a core is, against the one of the measurement. */
  readonly coreSpeed: number;
  /** One way, in microseconds: between nodes, coordinator and databases; and from a primary to its standby, which may be at another site. */
  readonly networkUs: number;
  readonly standbyNetworkUs: number;
  /** A flush of the WAL and a read of one block, in microseconds, and what the disk takes. */
  readonly fsyncUs: number;
  readonly readUs: number;
  readonly readsPerSecond: number;
  readonly walMbPerSecond: number;
  /** Of each primary. A commit waits for one of them; 0: for none. */
  readonly standbys: number;
  /** The share of all processors that the peak may use, and of the disk that may be full. */
  readonly maxProcessor: number;
  readonly maxDisk: number;
  /** Seconds between two checkpoints. */
  readonly checkpointSeconds: number;
}

export const machines: Machines = {
  nodeCores: 4,
  database: [
    { cores: 2, memoryGb: 8, diskGb: 200 },
    { cores: 8, memoryGb: 64, diskGb: 2000 },
    { cores: 32, memoryGb: 256, diskGb: 8000 },
  ],
  coreSpeed: 1,
  networkUs: 100,
  standbyNetworkUs: 100,
  fsyncUs: 200,
  readUs: 100,
  readsPerSecond: 200_000,
  walMbPerSecond: 500,
  standbys: 1,
  maxProcessor: 0.6,
  maxDisk: 0.7,
  checkpointSeconds: 900,
};

/** Milliseconds in which 99 of 100 requests are to be answered; a login has its hash besides. */
export const GOAL_MS = 50;
export const LOGIN_GOAL_MS = 500;
