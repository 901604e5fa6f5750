/**
 * `npm run bench:provider`: what a sign-in with an OpenID provider costs the server, as processor time beside a sign-in with a password of an
 * account here, on SQLite, in interleaved rounds. Each is a whole one with its pages: /auth, /login, the button or the form, and the answer to
 * the client. What the provider adds is told apart: the two requests that only such a sign-in has. The provider is an oidc-provider in this
 * process; its own time does not count.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../scripts/free-port.ts';
import { npmStart } from '../src/assembly/npm-start.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../test/build/fixture.ts';
import { openOidcUpstream } from '../test/build/oidc-upstream.ts';
import { answerIn, type Seen, signIn, Visitor } from '../test/build/visitor.ts';
import { aProvider, signInAtCorp } from '../test/people/federation/federated.ts';
import { startServer, untilReady } from './child.ts';
import { quantile } from './measure.ts';
import { parse, positive, say } from './options.ts';
import { processorTime } from './processor.ts';
import { gatehouseEnv } from './servers/gatehouse.ts';
import { openPlace, ROOT } from './servers/place.ts';

const { values } = parse({
  options: {
    rounds: { type: 'string', default: '15' },
    signIns: { type: 'string', default: '20' },
    /** People who sign in at the same time: their writes share commits. By requests it is told for one alone. */
    atOnce: { type: 'string', default: '1' },
  },
});
const rounds = positive(values.rounds);
const signIns = positive(values.signIns);
const atOnce = positive(values.atOnce);

const place = await openPlace('sqlite');
const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const corp = await openOidcUpstream([`${base}/login/provider/corp/callback`], {
  ...{ sub: 'u-1', preferred_username: 'bob', email: 'bob@corp.example', email_verified: true },
});
const file = join(place.folder, 'apply.json');
const content = {
  providers: [aProvider(corp.issuer)],
  applications: [
    anApplication({ code: 'plain', name: 'Plain', clients: [aClient()] }),
    anApplication({ code: 'shop', name: 'Shop', clients: [aClient()], providers: ['corp'] }),
  ],
  users: [aUser()],
};
writeFileSync(file, JSON.stringify(content));
const env = { ...gatehouseEnv(place), GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
execFileSync(process.execPath, ['src/gatehouse.ts', 'apply', file], {
  cwd: ROOT,
  env: { PATH: process.env.PATH, ...env },
});
const usual = npmStart();
const server = startServer([...usual.options, usual.program], {
  env: { ...usual.env, ...env, PORT: String(port), BASE_URL: base },
  cwd: ROOT,
});
const at = (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2`;
await untilReady(`${at('plain')}/.well-known/openid-configuration`, performance.now());

/** Notes the server's processor time for each request. What it does after an answer counts for the next one, or for the whole alone. */
class MeasuredVisitor extends Visitor {
  readonly steps: (readonly [step: string, ms: number])[] = [];

  override async go(url: string, init?: Parameters<Visitor['go']>[1]): Promise<Seen> {
    const before = processorTime(server.pid) ?? 0;
    const seen = await super.go(url, init);
    this.steps.push([new URL(url).pathname, ((processorTime(server.pid) ?? 0) - before) * 1000]);
    return seen;
  }
}

const OWN_STEPS = ['/login/provider/corp', '/login/provider/corp/callback'];
const steps = new Map<string, number[]>();

async function atProvider(): Promise<Seen> {
  const visitor = new MeasuredVisitor(base);
  const { seen } = await signInAtCorp({ base, at }, { visitor });
  for (const [step, ms] of visitor.steps) steps.set(step, [...(steps.get(step) ?? []), ms]);
  const own = visitor.steps.filter(([step]) => OWN_STEPS.includes(step)).reduce((sum, [, ms]) => sum + ms, 0);
  steps.set(ALL_OWN, [...(steps.get(ALL_OWN) ?? []), own]);
  return seen;
}

const ALL_OWN = 'both that only such a sign-in has';
const local = (app: string) => () => signIn({ base, at }, {}, { app, username: 'alice', password: PASSWORD });
const kinds: readonly (readonly [string, () => Promise<Seen>])[] = [
  ['an account here, no provider', local('plain')],
  ['an account here, beside a provider', local('shop')],
  ['a person of the provider', atProvider],
];

async function millisecondsOf([name, signInOnce]: (typeof kinds)[number]): Promise<number> {
  const before = processorTime(server.pid) ?? 0;
  let left = signIns;
  const person = async () => {
    while (left-- > 0) {
      const seen = await signInOnce();
      if (!answerIn(seen).code) throw new Error(`${name}: ${seen.location ?? seen.text}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, person));
  return (((processorTime(server.pid) ?? 0) - before) * 1000) / signIns;
}

function tell(name: string, all: readonly number[]): void {
  const [low, median, high] = [0.1, 0.5, 0.9].map(q => quantile(all, q).toFixed(2));
  say(`${median} ms (${low} to ${high})  ${name}`);
}

try {
  const found = new Map(kinds.map(kind => [kind, [] as number[]]));
  for (const kind of kinds) await millisecondsOf(kind);
  steps.clear();
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) found.get(kind)?.push(await millisecondsOf(kind));
  }
  for (const kind of kinds) tell(kind[0], found.get(kind) ?? []);
  if (atOnce === 1) {
    say('of the last, by its requests:');
    for (const [step, all] of steps) tell(step, all);
  }
} finally {
  await server.stop();
  await corp.close();
  await place.close();
}
