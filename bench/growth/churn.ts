/**
 * A day of logins, refreshes and logouts in virtual time, with the purge as it is scheduled, and what introspection and
 * refresh cost in its last hour against its second. The store of the second hour is copied; when the day is over, a server
 * on that copy and the one that has lived through the day are measured in turn.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { createDatabase } from '../databases.ts';
import { usersWithoutPassword } from '../fixture.ts';
import { residentMemory } from '../processor.ts';
import { GATEHOUSE, provisionGatehouse } from '../servers/gatehouse.ts';
import { databaseOf, type Place, sqliteFile, storeAddress, storeUrl, valueFiles } from '../servers/place.ts';
import { Callers } from './churn/callers.ts';
import { type State, stateOf } from './churn/state.ts';
import { Traffic } from './churn/traffic.ts';
import { VirtualServer } from './churn/virtual-server.ts';
import { compare, pairOf, say } from './compare.ts';
import type { Options } from './options.ts';
import type { Report } from './report.ts';
import type { Stage } from './stage.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** The day begins an hour before midnight: PostgreSQL drops what has ended by days, and in the last hour it has most of it. */
const BEGIN = Math.floor(Date.now() / 1000 / DAY) * DAY + 23 * HOUR;
/** So that refresh tokens, too, end within the day; all other lifetimes are the usual ones. */
const REFRESH_TOKEN_TTL = 8 * HOUR;
/** The copy of the store. */
const EARLIER = 'earlier';

export async function measureChurn(stage: Stage, options: Options): Promise<Report> {
  const { few, many } = options;
  const place = await stage.place('day');
  await provisionGatehouse(place, usersWithoutPassword, { refresh_token_ttl: REFRESH_TOKEN_TTL });
  const traffic = new Traffic(options.perHour);
  const start = async (store: string, hour: number) => {
    const server = await VirtualServer.start(place, storeUrl(place, store), BEGIN + hour * HOUR);
    stage.atEnd(server.stop);
    return server;
  };
  const morning = await start(GATEHOUSE, 0);
  const before = await live(morning, place, traffic, [0, few], options);
  await morning.stop();
  await copyStore(place);
  handOut(place, EARLIER, traffic);
  const evening = await start(GATEHOUSE, few);
  const after = await live(evening, place, traffic, [few, many], options);
  handOut(place, GATEHOUSE, traffic);
  const servers = [
    [EARLIER, await start(EARLIER, few)],
    [GATEHOUSE, evening],
  ] as const;
  const [earlier, later] = servers.map(([store, server]) =>
    server.targetWith(valueFiles(place.folder, store), databaseOf(place, store)),
  );
  if (!earlier || !later) throw new Error('two were started');
  const compared = await compare(
    {
      introspection: pairOf('introspection', earlier, later, options),
      refresh: pairOf('refresh', earlier, later, options),
    },
    options,
  );
  return { compared, memory: after.memory, notes: notesOf(before, after) };
}

interface Lived {
  readonly state: State;
  readonly memory: number | undefined;
  /** Real seconds of the last virtual hour. */
  readonly seconds: number;
  /** Milliseconds of the longest housekeeping of a virtual minute. */
  readonly longest: number;
  /** How often it had to be left for the next minute. */
  readonly failed: number;
}

async function live(
  server: VirtualServer,
  place: Place,
  traffic: Traffic,
  [from, to]: readonly [from: number, to: number],
  options: Options,
): Promise<Lived> {
  const callers = new Callers(server.endpoints.introspection, options.connections);
  let began = performance.now();
  let longest = 0;
  let failures = 0;
  for (let hour = from; hour < to; hour++) {
    say(`Virtual hour ${hour + 1} of ${options.many}…`);
    began = performance.now();
    for (let minute = 0; minute < 60; minute++) {
      const { milliseconds, failed } = await traffic.passMinute(server, callers);
      longest = Math.max(longest, milliseconds);
      if (failed) failures++;
    }
  }
  callers.close();
  const seconds = (performance.now() - began) / 1000;
  const memory = residentMemory(server.pid);
  return { state: await stateOf(storeAddress(place, GATEHOUSE)), memory, seconds, longest, failed: failures };
}

/** Nobody may be connected to it. */
async function copyStore(place: Place): Promise<void> {
  if (place.postgres) await createDatabase(place.postgres.url, EARLIER, GATEHOUSE);
  else copyFileSync(sqliteFile(place, GATEHOUSE), sqliteFile(place, EARLIER));
}

/** What is live now, for the load. */
function handOut({ folder }: Place, store: string, { accessTokens, refreshTokens }: Traffic): void {
  const { access, refresh } = valueFiles(folder, store);
  writeFileSync(access, `${accessTokens.join('\n')}\n`);
  writeFileSync(refresh, `${refreshTokens.join('\n')}\n`);
}

function notesOf(before: Lived, after: Lived): Record<string, string> {
  const change = (of: (lived: Lived) => number | undefined, unit: string, digits = 0) =>
    `${[before, after].map(lived => (of(lived) ?? Number.NaN).toFixed(digits)).join(' → ')} ${unit}`;
  const tables = Object.keys(after.state.rows).map(name => [name, change(({ state }) => state.rows[name], 'rows')]);
  return {
    ...Object.fromEntries(tables),
    'on the disk': change(({ state }) => state.megabytes, 'MB'),
    memory: change(({ memory }) => memory, 'MB'),
    'real time of a virtual hour': change(({ seconds }) => seconds, 's', 1),
    'longest housekeeping of a virtual minute so far': change(({ longest }) => longest, 'ms'),
    'times it failed': String(before.failed + after.failed),
  };
}
