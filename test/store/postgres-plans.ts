import { Client } from 'pg';

/** A statement as the store sent it. */
export interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What the store asks of the database while it does this, beside transactions, locks and, in the background, the state of a cluster. */
export async function recordStatements(work: () => Promise<unknown>): Promise<Asked[]> {
  const asked: Asked[] = [];
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...args: [unknown]) {
    const [sent] = args as [{ text?: string; name?: string; values?: unknown[] }];
    if (sent.name !== undefined && sent.text !== undefined && sent.values) {
      asked.push({ text: sent.text, values: sent.values });
    }
    return (query as (...args: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    Client.prototype.query = query;
  }
  return asked.filter(({ text }) => !/pg_advisory|^(BEGIN|COMMIT)/.test(text) && !LOOKS_AT_CLUSTER.test(text));
}

/** Those of src/platform/store/citus, which reads at any time where the parts of applications are. */
const LOOKS_AT_CLUSTER =
  /pg_dist_node|get_shard_id_for_distribution_column|^SELECT code FROM applications WHERE deleted_at IS NULL$/;

/** The settings of src/platform/store/postgres/hosts.ts that decide about plans. */
const PLANS = `SET plan_cache_mode = force_generic_plan; SET jit = off;
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`;

export interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
}

/** The partitions that the statement really reads. */
export async function touchedParts(url: string, asked: Asked): Promise<Set<string>> {
  return new Set(scanned(await explained(url, asked)).filter(name => /_\d{10}$/.test(name)));
}

/** How the statement runs with the settings of the store's connections. */
export async function explained(url: string, { text, values }: Asked): Promise<Plan> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(PLANS);
    await client.query(`PREPARE asked AS ${text}`);
    await client.query('BEGIN');
    const call = `EXECUTE asked${values.length > 0 ? ` (${values.map(literal).join(', ')})` : ''}`;
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${call}`);
    await client.query('ROLLBACK');
    return rows[0]['QUERY PLAN'][0].Plan;
  } finally {
    await client.end();
  }
}

function scanned(plan: Plan): string[] {
  const name = plan['Relation Name'];
  const own = name !== undefined && plan['Node Type'].includes('Scan') && plan['Actual Loops'] > 0 ? [name] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scanned)];
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  // Without a type of its own, as the driver sends it.
  if (Array.isArray(value)) return `'{${value.map(element).join(', ')}}'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function element(value: unknown): string {
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
