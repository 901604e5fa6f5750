import type { Client } from 'pg';
import { codes } from '../../../src/oauth/authorization-code/postgres.ts';
import type { Replays } from '../../../src/oauth/authorization-code/replays.postgres.ts';
import { NO_CLAIMS } from '../../../src/oauth/authorize/claims-request.rules.ts';
import { refreshTokens } from '../../../src/oauth/refresh/postgres.ts';
import { DEFAULT_REFRESH_FAMILY_TTL } from '../../../src/oauth/refresh/rules.ts';
import { tokens } from '../../../src/oauth/token/postgres.ts';
import { DEFAULT_TIMEOUT_MS } from '../../../src/platform/store/database-timeouts.ts';
import type { Database } from '../../../src/platform/store/postgres/database.ts';
import { Hosts } from '../../../src/platform/store/postgres/hosts.ts';
import { Partitions } from '../../../src/platform/store/postgres/partitions.ts';
import type { Statement } from '../../../src/platform/store/postgres/statement.ts';
import { GRANT_SLACK_SECONDS } from '../../../src/platform/store/retention.ts';
import { APP, CLIENT_ID, CODE_CHALLENGE, REDIRECT_URI } from '../../fixture.ts';
import type { AccessRow, AccessUserRow, FloorStore } from './store.ts';

/** As many connections as src/platform/store/postgres/database.ts has, and as much in one commit or one look-up as there. */
const READING = 2;
const WRITING = 4;
const MOST_TOGETHER = 64;

/** The statements of the postgres.ts files, as the store itself sends them, over pipelined connections with the same settings. */
export async function openPostgres(url: string): Promise<FloorStore> {
  const hosts = new Hosts([url], DEFAULT_TIMEOUT_MS);
  const maintenance = await hosts.connectForMaintenance();
  await new Partitions(hosts).createAhead(maintenance, Math.floor(Date.now() / 1000));
  await maintenance.end();
  const connect = (count: number) => Promise.all(Array.from({ length: count }, () => hosts.connect()));
  const readers = await connect(READING);
  const writers = (await connect(WRITING)).map(client => new CommitLane(client));
  const { access, user, redeem, rotate } = await statementsOfTheStore();

  return {
    access: batched<AccessRow>(readers, access, CLIENT_ID),
    accessWithUser: batched<AccessUserRow>(readers, user, null),
    redeem: (key, { grantId, now, access, accessEnd, refresh, refreshEnd }, done) => {
      const proof = [CLIENT_ID, true, REDIRECT_URI, CODE_CHALLENGE, now];
      const given = [grantId, access, accessEnd, refresh, refreshEnd, refreshEnd + GRANT_SLACK_SECONDS];
      leastBusy(writers).add(redeem, [APP, key, ...proof, ...given], done);
    },
    rotate: (key, { now, access, accessEnd, refresh, refreshEnd }, done) => {
      const issue = [now, access, accessEnd, null, refreshEnd];
      leastBusy(writers).add(
        rotate,
        [APP, key, ...issue, CLIENT_ID, true, refresh, refreshEnd, true, DEFAULT_REFRESH_FAMILY_TTL],
        done,
      );
    },
  };
}

/** Asks the store for each operation, with a database that only notes which statement it is asked to run. */
async function statementsOfTheStore() {
  let asked: Statement | undefined;
  const note = async (statement: Statement) => {
    asked = statement;
    return [];
  };
  const operation = { read: note, write: note };
  const nothing = { ...operation, operation: () => operation } as unknown as Database;
  const anywhere = { writing: (_operation: unknown, _places: unknown, work: () => unknown) => work() };
  const partitions = anywhere as unknown as Partitions;
  const of = [nothing, partitions] as const;
  const replays = {} as Replays;
  const store = { ...codes(...of, replays), ...tokens(...of), ...refreshTokens(...of, replays) };
  const noted = async (...operations: (() => Promise<unknown>)[]): Promise<Statement> => {
    await Promise.all(operations.map(operation => operation()));
    if (!asked) throw new Error('the store asked for nothing');
    return asked;
  };
  const key = Buffer.alloc(38);
  const token = { hash: key, expiresAt: 0 };
  const findAccess = () => store.findAccessToken(APP, key, 0);
  const findUser = () => store.findTokenUser(APP, key, 0);
  const presented = { clientId: '', clientAuthenticated: true, redirectUri: '', challenge: '' };
  const refreshing = { clientId: '', scope: undefined, rotation: true, grace: 0, familyTtl: 0 };
  const rotation = {
    tokenHash: key,
    presented: refreshing,
    issuedAt: 0,
    access: token,
    successorExpiresAt: 0,
    user: { isAllowed: undefined },
  };
  const set = { grantId: '', issuedAt: 0, access: token, refresh: token, claims: NO_CLAIMS };
  return {
    access: await noted(findAccess, findAccess),
    user: await noted(findUser, findUser),
    redeem: await noted(() => store.redeemCode(APP, key, presented, set)),
    rotate: await noted(() => store.rotateRefreshToken(APP, { ...rotation, successors: [key] })),
  };
}

type Found<R> = (row: R | undefined) => void;
interface Result {
  readonly rows: unknown[];
}

function batched<R>(
  clients: readonly Client[],
  statement: Statement,
  asker: string | null,
): (key: Buffer, done: Found<R>) => void {
  let turn = 0;
  let waiting: [Buffer, Found<R>][] = [];
  const ask = (batch: readonly [Buffer, Found<R>][]) => {
    turn = (turn + 1) % clients.length;
    const values = [batch.map(() => APP), batch.map(([key]) => key), batch.map(() => asker)];
    send(clients[turn], statement, values, ({ rows }) => {
      const found: R[] = [];
      for (const row of rows as unknown[][]) found[(row.at(-1) as number) - 1] = row as R;
      for (const [index, [, done]] of batch.entries()) done(found[index]);
    });
  };
  const flush = () => {
    const all = waiting;
    waiting = [];
    for (let start = 0; start < all.length; start += MOST_TOGETHER) ask(all.slice(start, start + MOST_TOGETHER));
  };
  return (key, done) => {
    if (waiting.push([key, done]) === 1) setImmediate(flush);
  };
}

const BEGIN: Statement = { name: 'floor-begin', text: 'BEGIN' };
const COMMIT: Statement = { name: 'floor-commit', text: 'COMMIT' };

interface Write {
  readonly statement: Statement;
  readonly values: unknown[];
  readonly done: (sub: string | undefined) => void;
}

/** What arrives while a commit is under way shares the next one; answers go out after it. */
class CommitLane {
  readonly #client: Client;
  #waiting: Write[] = [];
  size = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  add(statement: Statement, values: unknown[], done: Write['done']): void {
    this.#waiting.push({ statement, values, done });
    if (this.size++ === 0) this.#commit();
  }

  #commit(): void {
    const writes = this.#waiting.splice(0, MOST_TOGETHER);
    const groups = [...Map.groupBy(writes, ({ statement }) => statement).values()];
    const told: (() => void)[] = [];
    const ended = () => {
      this.size -= writes.length;
      if (this.size > 0) this.#commit();
      for (const tell of told) tell();
    };
    const alone = groups.length === 1;
    if (!alone) send(this.#client, BEGIN, [], () => {});
    for (const group of groups) {
      send(this.#client, (group[0] as Write).statement, columns(group), ({ rows }) => {
        for (const { n, sub, done } of rows as { n: number; sub: string; done: boolean }[]) {
          told.push(() => group[n - 1]?.done(done ? sub : undefined));
        }
        if (alone) ended();
      });
    }
    if (!alone) send(this.#client, COMMIT, [], ended);
  }
}

/** As src/platform/store/postgres/merge.ts: an array for each parameter. */
function columns(group: readonly Write[]): unknown[][] {
  return (group[0] as Write).values.map((_, column) => group.map(({ values }) => values[column]));
}

function leastBusy(lanes: readonly CommitLane[]): CommitLane {
  return lanes.reduce((best, lane) => (lane.size < best.size ? lane : best));
}

/** A fault ends the floor: it is there to be measured, not to survive. */
function send(
  client: Client | undefined,
  { name, text, rowMode }: Statement,
  values: unknown[],
  done: (result: Result) => void,
) {
  client?.query({ name, text, values, ...(rowMode && { rowMode }) } as never, (error: Error | null, result: Result) => {
    if (error) throw error;
    done(result);
  });
}
