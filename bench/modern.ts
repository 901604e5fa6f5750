/**
 * `npm run bench:modern`: what the grant of machines and DPoP cost beside what they are made of, as processor time of the server on SQLite, in
 * interleaved rounds. A signature is measured twice: many in a row, and one in each request of a server that does nothing else. Between
 * other work it takes longer, because the caches of the processor have something else by then.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { join } from 'node:path';
import { openStore } from '../src/assembly/open-store.ts';
import { NO_CLAIMS } from '../src/oauth/authorize/claims-request.rules.ts';
import { bindCredential, keyOf, newCredential } from '../src/platform/crypto/credential.ts';
import { systemRandom } from '../src/platform/crypto/random.ts';
import { ACCESS_TOKEN_TTL, APP, CLIENT_ID, CLIENT_SECRET, FORM, SCOPE, type Target, users } from './fixture.ts';
import { endLoad } from './load/load.ts';
import type { RequestForm } from './load/request.ts';
import { measure } from './measure.ts';
import { parse, positive, say } from './options.ts';
import { type Microseconds, reportRounds } from './rounds.ts';
import { asTarget, startBare } from './servers/bare.ts';
import { writeLines } from './servers/fill.ts';
import { prepareGatehouse, startGatehouse } from './servers/gatehouse.ts';
import { GATEHOUSE, openPlace, type Place, storeAddress } from './servers/place.ts';

const { values } = parse({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.25' },
    connections: { type: 'string', default: '64' },
  },
});
const plan = {
  rounds: positive(values.rounds),
  seconds: positive(values.seconds),
  connections: positive(values.connections),
};
const TOKENS = 10_000;
/** Of each kind of signature in a request, to know what one costs in a row. */
const IN_A_ROW = 40;
/** Proofs are good for a minute before and after their time. */
const PROOF_WINDOW_SECONDS = 60;
const MAX_PROOFS_PER_ROUND = 4000;

const machine = (client_id: string, alg?: string) => ({
  ...{ client_id, client_secret: CLIENT_SECRET, grant_types: ['client_credentials'] },
  ...(alg && { access_token_format: 'jwt', id_token_signed_response_alg: alg }),
});
const machines = [machine('opaque'), machine('RS256', 'RS256'), machine('ES256', 'ES256')];

const place = await openPlace('sqlite');
try {
  await prepareGatehouse(place, { tokens: TOKENS, codes: 100, logouts: 100 }, {}, machines);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  // In the order of RFC 7638.
  const jwk = { crv, kty, x, y };
  const bound = await addBoundTokens(place, createHash('sha256').update(JSON.stringify(jwk)).digest('base64url'));
  const { target, stop } = await startGatehouse(place);
  const bare = await startBare(
    Object.fromEntries(
      ['RS256', 'ES256', 'verification'].flatMap(name => [
        [`bare ${name}`, name],
        [`${name} in a row`, `${name}?${IN_A_ROW}`],
      ]),
    ),
  );
  const proofFile = join(place.folder, 'proofs.txt');
  const forms = gatehouseForms(target, proofFile);
  // As the server calls itself.
  const url = (target.requests.userinfo?.url ?? '').replace('127.0.0.1', 'localhost');
  // The first round is the warm-up.
  say('signing proofs…');
  writeLines(proofFile, proofsFor({ bound, jwk, privateKey, url }, MAX_PROOFS_PER_ROUND * (plan.rounds + 1)));
  const own = Object.entries(forms).map(([name, form]) => asTarget(name, target.pid, form));
  const all = [...own, ...bare.targets];
  reportRounds(await measure(all, { works: ['userinfo'], ...plan }, say), ratiosOf);
  await bare.stop();
  await stop();
} finally {
  endLoad();
  await place.close();
}

function gatehouseForms({ requests }: Target, proofFile: string): Readonly<Record<string, RequestForm | undefined>> {
  const { userinfo, refresh } = requests;
  const asMachine = (id: string): RequestForm => ({
    ...{ method: 'POST', url: refresh?.url ?? '', body: 'grant_type=client_credentials' },
    headers: { ...FORM, authorization: `Basic ${Buffer.from(`${id}:${CLIENT_SECRET}`).toString('base64')}` },
  });
  const dpop: RequestForm = {
    ...{ method: 'GET', url: userinfo?.url ?? '' },
    headers: { authorization: 'DPoP {1}', dpop: '{value}' },
    values: { file: proofFile, use: 'once' },
  };
  const machineForms = Object.fromEntries(machines.map(({ client_id }) => [client_id, asMachine(client_id)]));
  return { refresh, userinfo, 'userinfo, DPoP': dpop, ...machineForms };
}

/** Access tokens that are bound to the key with this thumbprint, as a token request with a proof gets them. */
async function addBoundTokens(at: Place, thumbprint: string): Promise<string[]> {
  const store = await openStore(storeAddress(at, GATEHOUSE), {});
  const now = Math.floor(Date.now() / 1000);
  const expiresAt = now + ACCESS_TOKEN_TTL;
  const bound = Array.from({ length: TOKENS }, () =>
    bindCredential(newCredential('access', expiresAt, systemRandom), thumbprint),
  );
  const subs = await Promise.all(users.map(async ({ username }) => (await store.findAccount(username))?.sub ?? ''));
  await Promise.all(
    bound.map((token, number) => {
      const login = { sub: subs[number % subs.length] ?? '', authTime: now, amr: ['pwd'], sid: undefined };
      const family = { ...login, clientId: CLIENT_ID, scope: SCOPE.split(' '), claims: NO_CLAIMS };
      const tokens = { grantId: randomUUID(), issuedAt: now, access: { hash: keyOf(token), expiresAt } };
      return store.addTokenFamily(APP, family, { ...tokens, refresh: undefined });
    }),
  );
  await store.close();
  return bound;
}

interface Signing {
  readonly bound: readonly string[];
  readonly jwk: object;
  readonly privateKey: KeyObject;
  readonly url: string;
}

/** Lines of a token and a proof for it, which is good from now on for two windows. */
function proofsFor({ bound, jwk, privateKey, url }: Signing, count: number): string[] {
  const base64url = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const header = base64url({ typ: 'dpop+jwt', alg: 'ES256', jwk });
  const iat = Math.floor(Date.now() / 1000) + PROOF_WINDOW_SECONDS - 5;
  return Array.from({ length: count }, (_, number) => {
    const token = bound[number % bound.length] ?? '';
    const ath = createHash('sha256').update(token).digest('base64url');
    const input = `${header}.${base64url({ jti: randomUUID(), htm: 'GET', htu: url, iat, ath })}`;
    const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${token}\t${input}.${signature.toString('base64url')}`;
  });
}

function ratiosOf(time: Microseconds): Readonly<Record<string, number>> {
  const inARow = (name: string) => (time(`${name} in a row`) - time('bare')) / IN_A_ROW;
  const inARequest = (name: string) => time(`bare ${name}`) - time('bare');
  const proof = time('userinfo, DPoP') - time('userinfo');
  const ofJwt = (alg: string) => ({
    [`client_credentials, ${alg} / a signature in a row`]: time(alg) / inARow(alg),
    [`client_credentials, ${alg} / a server that signs and does nothing else`]: time(alg) / time(`bare ${alg}`),
    [`client_credentials, ${alg} / (opaque + a signature in a request)`]:
      time(alg) / (time('opaque') + inARequest(alg)),
  });
  return {
    'client_credentials, opaque / refresh': time('opaque') / time('refresh'),
    ...ofJwt('RS256'),
    ...ofJwt('ES256'),
    'what a DPoP proof adds / a verification in a row': proof / inARow('verification'),
    'what a DPoP proof adds / a verification in a request': proof / inARequest('verification'),
  };
}
