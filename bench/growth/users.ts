/**
 * Userinfo and logins with a thousand users and with five millions, by tokens and names that are spread over all of them. A
 * login costs what Argon2id costs; what it asks of the store is therefore measured on its own as well, at full speed.
 */
import { writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import { checkAnswers } from '../check.ts';
import { users } from '../fixture.ts';
import { residentMemory } from '../processor.ts';
import { median } from '../report/median.ts';
import { addUsersWithTokens, shuffled, spread } from '../servers/families.ts';
import { GATEHOUSE, provisionGatehouse, startGatehouse, usernameFile } from '../servers/gatehouse.ts';
import { usernameOf } from '../servers/grow-users.ts';
import { type Place, type Started, storeAddress } from '../servers/place.ts';
import { compare, pairOf, type Rate, type Round, say } from './compare.ts';
import type { Options } from './options.ts';
import type { Report } from './report.ts';
import type { Stage } from './stage.ts';

/** Password checks follow each other: more of them would only wait. */
const LOGINS_AT_ONCE = 8;

export async function measureUsers(stage: Stage, options: Options): Promise<Report> {
  const few = await prepare(stage, 'few', options.few, options.tokens);
  const many = await prepare(stage, 'many', options.many, options.tokens);
  const targets = [few.server.target, many.server.target] as const;
  for (const target of targets) await checkAnswers(target);
  const logins = { ...options, connections: Math.min(options.connections, LOGINS_AT_ONCE) };
  const compared = await compare(
    { userinfo: pairOf('userinfo', ...targets, options), 'login by name': pairOf('password', ...targets, logins) },
    options,
  );
  for (const target of targets) await checkAnswers(target);
  const memory = residentMemory(many.server.target.pid ?? 0);
  const pair = {
    few: await lookUps(stage, few.place, options.few, options),
    many: await lookUps(stage, many.place, options.many, options),
  };
  const alone = (await compare({ names: pair }, options)).get('names') ?? [];
  return { compared, memory, notes: { 'look-up of a login name in the store': describe(alone) } };
}

/** No ratio is asked of it: it is a small part of a login, and a file that fits into memory is read faster than one that does not. */
function describe(rounds: readonly Round[]): string {
  const of = (size: keyof Round, what: keyof Rate) => median(rounds.map(round => round[size][what] ?? Number.NaN));
  const rates = (['few', 'many'] as const).map(size => Math.round(of(size, 'perSecond')));
  const times = (['few', 'many'] as const).map(size => of(size, 'cpu').toFixed(1));
  return `${rates.join(' → ')} per second, ${times.join(' → ')} µs of processor time for each`;
}

interface Prepared {
  readonly place: Place;
  readonly server: Started;
}

async function prepare(stage: Stage, name: string, count: number, tokens: number): Promise<Prepared> {
  say(`Making ${count} users…`);
  const place = await stage.place(name);
  await provisionGatehouse(place, users.slice(0, 1));
  await addUsersWithTokens(place, count, tokens);
  const names = shuffled(spread(tokens, count)).map(usernameOf);
  writeFileSync(usernameFile(place.folder), `${names.join('\n')}\n`);
  const server = await startGatehouse(place);
  stage.atEnd(server.stop);
  const { userinfo, password } = server.target.requests;
  const requests = { ...(userinfo && { userinfo }), ...(password && { password }) };
  return { place, server: { ...server, target: { ...server.target, requests } } };
}

/** As many as the store can do in a second, asked for as many at once as there would be connections. */
async function lookUps(stage: Stage, place: Place, count: number, options: Options): Promise<() => Promise<Rate>> {
  const store = await openStore(storeAddress(place, GATEHOUSE));
  stage.atEnd(() => store.close());
  const names = shuffled(spread(options.tokens, count)).map(usernameOf);
  let at = 0;
  const lookUp = async () => {
    const name = names[at++ % names.length] ?? '';
    if (!(await store.findAccount(name))) throw new Error(`${name} is not there`);
  };
  return async () => {
    const [began, busy] = [performance.now(), process.cpuUsage()];
    const end = began + options.seconds * 1000;
    const before = at;
    while (performance.now() < end) {
      await Promise.all(Array.from({ length: options.connections }, lookUp));
      await turn();
    }
    const { user, system } = process.cpuUsage(busy);
    const done = at - before;
    return { perSecond: (done * 1000) / (performance.now() - began), cpu: (user + system) / done };
  };
}
