/**
 * `npm run bench:directory`: what a sign-in with an LDAP directory costs the server, as processor time beside a sign-in with a password of an
 * account here, on SQLite, in interleaved rounds. Each is a whole one with its pages: /auth, /login, the form, and the answer to the client.
 * The directory is a slapd on the other core; its own time does not count.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../scripts/free-port.ts';
import { npmStart } from '../src/assembly/npm-start.ts';
import { openDirectory } from '../test/build/directory.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../test/build/fixture.ts';
import { answerIn, signIn } from '../test/build/visitor.ts';
import { startServer, untilReady } from './child.ts';
import { quantile } from './measure.ts';
import { parse, positive, say } from './options.ts';
import { processorTime } from './processor.ts';
import { gatehouseEnv } from './servers/gatehouse.ts';
import { openPlace, ROOT } from './servers/place.ts';

const { values } = parse({
  options: { rounds: { type: 'string', default: '15' }, signIns: { type: 'string', default: '20' } },
});
const rounds = positive(values.rounds);
const signIns = positive(values.signIns);

/** Of kinds of sign-ins, by the application. */
const KINDS = {
  plain: ['an account here, no directory', 'alice', PASSWORD],
  both: ['an account here, beside a directory', 'alice', PASSWORD],
  person: ['a person of the directory, after the accounts here', 'bob', 'of bob'],
  staff: ['a person of the directory, local_sign_in: false', 'bob', 'of bob'],
} as const;
const APPLICATION = { plain: 'plain', both: 'both', person: 'both', staff: 'staff' } as const;
type Kind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as Kind[];

const place = await openPlace('sqlite');
const corp = await openDirectory({ people: [{ uid: 'bob', password: 'of bob' }], crowd: 10_000 });
const file = join(place.folder, 'apply.json');
const clients = [aClient()];
const content = {
  providers: [corp.provider()],
  applications: [
    anApplication({ code: 'plain', name: 'Plain', clients }),
    anApplication({ code: 'both', name: 'Both', clients, providers: ['corp'] }),
    anApplication({ code: 'staff', name: 'Staff', clients, providers: ['corp'], local_sign_in: false }),
  ],
  users: [aUser()],
};
writeFileSync(file, JSON.stringify(content));
const env = { ...gatehouseEnv(place), GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
execFileSync(process.execPath, ['src/gatehouse.ts', 'apply', file], {
  cwd: ROOT,
  env: { PATH: process.env.PATH, ...env },
});
const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const usual = npmStart();
const server = startServer([...usual.options, usual.program], {
  env: { ...usual.env, ...env, PORT: String(port), BASE_URL: base },
  cwd: ROOT,
});
const at = (app = '') => `${base}/api/v1/authorize/${app}/oauth2`;
await untilReady(`${at('plain')}/.well-known/openid-configuration`, performance.now());

async function millisecondsOf(kind: Kind): Promise<number> {
  const [, username, password] = KINDS[kind];
  const before = processorTime(server.pid) ?? 0;
  for (let n = 0; n < signIns; n++) {
    const seen = await signIn({ base, at }, {}, { app: APPLICATION[kind], username, password });
    if (!answerIn(seen).code) throw new Error(`${kind}: ${seen.location ?? seen.text}`);
  }
  return (((processorTime(server.pid) ?? 0) - before) * 1000) / signIns;
}

try {
  const found = new Map<Kind, number[]>(kinds.map(kind => [kind, []]));
  for (const kind of kinds) await millisecondsOf(kind);
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) found.get(kind)?.push(await millisecondsOf(kind));
  }
  for (const kind of kinds) {
    const all = found.get(kind) ?? [];
    say(
      `${quantile(all, 0.5).toFixed(2)} ms (${quantile(all, 0.1).toFixed(2)} to ${quantile(all, 0.9).toFixed(2)})  ${KINDS[kind][0]}`,
    );
  }
} finally {
  await server.stop();
  await corp.close();
  await place.close();
}
