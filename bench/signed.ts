/**
 * `npm run bench:signed`: what a signed authorization request (JAR) and a signed answer (JARM) cost beside the same request without, as
 * processor time of the server on SQLite, in interleaved rounds. A signature and a verification are measured in a server that does
 * nothing else, one in each request.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CLIENT_SECRET, REDIRECT_URI, SCOPE, type Target } from './fixture.ts';
import { endLoad } from './load/load.ts';
import type { RequestForm } from './load/request.ts';
import { measure } from './measure.ts';
import { parse, positive, say } from './options.ts';
import { type Microseconds, reportRounds } from './rounds.ts';
import { asTarget, startBare } from './servers/bare.ts';
import { prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { openPlace } from './servers/place.ts';

const { values } = parse({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.5' },
    connections: { type: 'string', default: '16' },
  },
});
const plan = {
  rounds: positive(values.rounds),
  seconds: positive(values.seconds),
  connections: positive(values.connections),
};

const SIGNING = 'bench-signing';
/** Longer than the benchmark takes. */
const LIFETIME_SECONDS = 3600;
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signing = {
  client_id: SIGNING,
  client_secret: CLIENT_SECRET,
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code'],
  scope: SCOPE,
  jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256', use: 'sig' }] },
  request_object_signing_alg: 'ES256',
  authorization_signed_response_alg: 'ES256',
};

const place = await openPlace('sqlite');
try {
  await prepareGatehouse(place, { tokens: 100 }, {}, [signing]);
  const { target, stop } = await startGatehouse(place);
  const bare = await startBare({ 'a signature': 'ES256', 'a verification': 'verification' });
  const forms = formsOf(target);
  await checkAnswers(forms);
  const own = Object.entries(forms).map(([name, form]) => asTarget(name, target.pid, form));
  reportRounds(await measure([...own, ...bare.targets], { works: ['userinfo'], ...plan }, say), ratiosOf);
  await bare.stop();
  await stop();
} finally {
  endLoad();
  await place.close();
}

/** The same client, session and parameters; the parameters are in the address, in a signed object, or answered in a signed one. */
function formsOf({ requests }: Target): Readonly<Record<string, RequestForm>> {
  const usual = requests.authorization;
  if (!usual) throw new Error('no form of an authorization request');
  const plain = new URL(usual.url);
  plain.searchParams.set('client_id', SIGNING);
  const issuer = plain.href.slice(0, plain.href.indexOf('/auth?'));
  const at = (params: Readonly<Record<string, string>>): RequestForm => ({
    ...usual,
    url: `${issuer}/auth?${new URLSearchParams(params)}`,
  });
  const params = Object.fromEntries(plain.searchParams);
  // As the server calls itself.
  const request = requestObject(issuer.replace('127.0.0.1', 'localhost'), params, privateKey);
  return {
    plain: at(params),
    'signed request': at({ client_id: SIGNING, scope: SCOPE, response_type: 'code', request }),
    'signed answer': at({ ...params, response_mode: 'jwt' }),
  };
}

/** RFC 9101 section 4. */
function requestObject(issuer: string, params: Readonly<Record<string, string>>, key: KeyObject): string {
  const base64url = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: SIGNING, aud: issuer, iat: now, exp: now + LIFETIME_SECONDS, ...params };
  const input = `${base64url({ typ: 'oauth-authz-req+jwt', alg: 'ES256', kid: 'bench' })}.${base64url(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** A refusal is a redirect too, and cheaper than an answer. */
async function checkAnswers(forms: Readonly<Record<string, RequestForm>>): Promise<void> {
  const expected = { plain: 'code', 'signed request': 'code', 'signed answer': 'response' };
  for (const [name, parameter] of Object.entries(expected)) {
    const form = forms[name];
    const [cookie = ''] = readFileSync(form?.values?.file ?? '', 'utf8').split('\n');
    const headers = { cookie: (form?.headers?.cookie ?? '').replace('{value}', cookie) };
    const answer = await fetch(form?.url ?? '', { headers, redirect: 'manual' });
    const location = answer.headers.get('location') ?? '';
    if (!URL.parse(location)?.searchParams.has(parameter)) {
      throw new Error(`${name}: no ${parameter} in ${answer.status} ${location}`);
    }
  }
}

function ratiosOf(time: Microseconds): Readonly<Record<string, number>> {
  const [plain, request, answer] = [time('plain'), time('signed request'), time('signed answer')];
  const verification = time('a verification') - time('bare');
  const signature = time('a signature') - time('bare');
  return {
    'signed request / (plain + a verification)': request / (plain + verification),
    'what a signed request adds / a verification': (request - plain) / verification,
    'signed answer / (plain + a signature)': answer / (plain + signature),
    'what a signed answer adds / a signature': (answer - plain) / signature,
  };
}
