import { type Statement, statement, type Value } from '../postgres/statement.ts';
import type { Row } from '../row.ts';
import { COLOCATED_WITH } from './placement.ts';

/** A worker of the cluster by its group, which stays when another machine takes its place. */
export interface Worker {
  readonly group: number;
  readonly address: string;
  readonly host: string;
  readonly port: number;
}

/** Reads from the coordinator. */
type Read = (statement: Statement, values?: readonly Value[]) => Promise<Row[]>;

const PLACES = statement(
  `SELECT n.groupid AS "group", n.nodename AS host, n.nodeport AS port, p.shardid::text AS shard
   FROM pg_dist_node n LEFT JOIN (
     SELECT groupid, shardid FROM pg_dist_placement JOIN pg_dist_shard USING (shardid)
     WHERE logicalrelid = '${COLOCATED_WITH}'::regclass
   ) AS p ON p.groupid = n.groupid
   WHERE n.noderole = 'primary' AND n.groupid <> 0 ORDER BY n.groupid`,
);
const SHARDS = statement(
  `SELECT part, get_shard_id_for_distribution_column('${COLOCATED_WITH}', part)::text AS shard
   FROM unnest($1::text[]) AS part`,
);
const APPLICATIONS = statement('SELECT code FROM applications WHERE deleted_at IS NULL');

/**
 * Where the parts of applications are, from the metadata of the coordinator. What is known may be a moment old, while a shard moves: it
 * only chooses a connection, and Citus finds the worker itself.
 */
export class Shards {
  readonly #read: Read;
  readonly #shardOf = new Map<string, string>();
  #groupOf: ReadonlyMap<string, number> = new Map();
  #workers: readonly Worker[] = [];
  #applications: readonly string[] = [];

  constructor(read: Read) {
    this.#read = read;
  }

  get workers(): readonly Worker[] {
    return this.#workers;
  }

  async refresh(): Promise<void> {
    const rows = await this.#read(PLACES);
    const groupOf = new Map(rows.flatMap(({ shard, group }) => (shard ? [[shard as string, group as number]] : [])));
    // A shard that was split has others in its place.
    if ([...this.#groupOf.keys()].some(shard => !groupOf.has(shard))) this.#shardOf.clear();
    this.#groupOf = groupOf;
    const workers = rows.map(({ group, host, port }) => ({ group, host, port, address: `${host}:${port}` }));
    this.#workers = [...new Map(workers.map(worker => [worker.group, worker])).values()] as unknown as Worker[];
  }

  async findApplications(): Promise<void> {
    this.#applications = (await this.#read(APPLICATIONS)).map(({ code }) => code as string);
    await this.find(this.#applications.filter(code => !this.#shardOf.has(code)));
  }

  async find(parts: readonly string[]): Promise<void> {
    if (parts.length === 0) return;
    for (const { part, shard } of await this.#read(SHARDS, [parts])) this.#shardOf.set(part as string, shard as string);
  }

  /** Undefined: `find` has not looked for this part. 0: the coordinator itself. */
  groupOf(part: string): number | undefined {
    const shard = this.#shardOf.get(part);
    return shard === undefined ? undefined : (this.#groupOf.get(shard) ?? 0);
  }

  /** How many applications each worker has, by its group. A spread one counts where its own name belongs. */
  countApplications(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const app of this.#applications) {
      const group = this.groupOf(app) ?? 0;
      counts.set(group, (counts.get(group) ?? 0) + 1);
    }
    return counts;
  }
}
