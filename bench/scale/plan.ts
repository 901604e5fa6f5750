/** How many machines so many users need: the smallest number whose simulated peak keeps the goals. */
import { scaled } from './assumptions.ts';
import { type Attempt, clusterLimits, type Limit, type PlanOptions, tryDatabases } from './attempt.ts';
import { mapTables } from './rows.ts';

export interface Plan extends Attempt {
  /** Deployments that share nothing: the users, and all that there is in the plan, are those of all of them. */
  readonly deployments: number;
  /** What made a smaller machine, one worker less or one deployment less too small. */
  readonly limit: Limit;
}

/** Why there is no plan: what the last number of deployments lacked. */
export interface Unplanned {
  readonly users: number;
  readonly limit: Limit;
}

export function isPlanned(plan: Plan | Unplanned): plan is Plan {
  return 'deployments' in plan;
}

/** Of one coordinator. */
const MAX_WORKERS = 64;
export const MAX_DEPLOYMENTS = 64;

/** With as few database machines as possible: of PostgreSQL, or of Citus, which needs fewer deployments but more for each. */
export function planFor(users: number, options: PlanOptions): Plan | Unplanned {
  const plain = divide(users, share => planPostgres(share, options));
  if ((isPlanned(plain) && plain.deployments === 1) || !options.recorded.citus) return plain;
  const clustered = divide(users, share => planCitus(share, options));
  if (!isPlanned(plain) || !isPlanned(clustered)) return isPlanned(clustered) ? clustered : plain;
  return clustered.databaseMachines < plain.databaseMachines ? clustered : plain;
}

type Deployment = Attempt & { readonly limit: Limit };

/** Among as many deployments as are needed. */
function divide(users: number, planOne: (users: number) => Deployment | Limit): Plan | Unplanned {
  // Where a single user waits too long, no division helps.
  const alone = planOne(1);
  if (typeof alone === 'string') return { users, limit: alone };
  let limit: Limit = 'nothing';
  for (let deployments = 1; deployments <= MAX_DEPLOYMENTS; deployments++) {
    const tried = planOne(users / deployments);
    if (typeof tried !== 'string') return manyOf(tried, deployments, deployments > 1 ? limit : tried.limit);
    limit = tried;
  }
  return { users, limit };
}

function planPostgres(users: number, options: PlanOptions): Deployment | Limit {
  let limit: Limit = 'nothing';
  for (const machine of options.machines.database) {
    const tried = tryDatabases(users, machine, 1, options);
    if (typeof tried !== 'string') return { ...tried, limit };
    limit = tried;
  }
  return limit;
}

/** Of the largest machine. */
export function planCitus(users: number, options: PlanOptions): Deployment | Limit {
  const largest = options.machines.database.at(-1);
  if (!largest) throw new Error('there is no machine for the database');
  let limit: Limit = 'nothing';
  for (let workers = 2; workers <= MAX_WORKERS; workers++) {
    const tried = tryDatabases(users, largest, workers, options);
    if (typeof tried !== 'string') return { ...tried, limit };
    limit = tried;
    if (clusterLimits.some(one => one === limit)) break;
  }
  return limit;
}

const FEWEST_USERS = 1e5;
const MOST_USERS = 1e10;

/** The users that one deployment can have, within a fiftieth, and what more of them would lack. */
export function largest<T extends Attempt>(
  planOne: (users: number) => T | Limit,
): { readonly plan: T; readonly limit: Limit } | undefined {
  let [fits, tooMany] = [FEWEST_USERS, MOST_USERS];
  let limit: Limit = 'nothing';
  let plan: T | undefined;
  while (tooMany / fits > 1.02) {
    const users = Math.sqrt(fits * tooMany);
    const tried = planOne(users);
    if (typeof tried === 'string') [tooMany, limit] = [users, tried];
    else [fits, plan] = [users, tried];
  }
  return plan && { plan, limit };
}

function manyOf(plan: Deployment, deployments: number, limit: Limit): Plan {
  const times = (value: number) => value * deployments;
  const { client, database } = plan.networkBytes;
  return {
    ...plan,
    limit,
    deployments,
    users: times(plan.users),
    rates: scaled(plan.rates, deployments),
    rows: mapTables(plan.rows, times),
    tableBytes: mapTables(plan.tableBytes, times),
    nodes: times(plan.nodes),
    databases: times(plan.databases),
    databaseMachines: times(plan.databaseMachines),
    walBytes: times(plan.walBytes),
    writes: times(plan.writes),
    reads: times(plan.reads),
    networkBytes: { client: times(client), database: times(database) },
  };
}
