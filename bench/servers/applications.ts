/** Many applications in the store of Gatehouse, each with what one in use has: a client, a key of every algorithm, tokens. */

import { makeKey } from '../../src/oauth/signing-keys/signing-key.ts';
import type { SealedKey } from '../../src/oauth/signing-keys/store.ts';
import { generateSystemKeyPair } from '../../src/platform/crypto/key-pair.ts';
import { createKeyRing } from '../../src/platform/crypto/key-ring.ts';
import { systemRandom } from '../../src/platform/crypto/random.ts';
import { APP, CLIENT_ID, CLIENT_SECRET, GATEHOUSE_SECRET } from '../fixture.ts';
import { type RequestForm, TAB } from '../load/request.ts';
import { addCodes, addFamilies, addSessions, type Owner, shuffled } from './fill.ts';
import type { Place } from './place.ts';
import { openRows, type Row, type Rows } from './rows.ts';

/** An RSA key takes a tenth of a second to make: some serve for all, sealed for each application anew. */
const KEY_SETS = 8;
const BATCH = 1000;
/** Where the keys wait for their application. */
const POOL = 'pool';

const appOf = (number: number): string => (number === 0 ? APP : `${APP}-${number}`);
const clientOf = (number: number): string => (number === 0 ? CLIENT_ID : `${CLIENT_ID}-${number}`);

/** So many in all, with the one that is there, and so many families of tokens, codes and sessions spread over them. */
export async function addApplications(
  place: Place,
  count: number,
  families: number,
  codes = 0,
  sessions = 0,
): Promise<void> {
  const rows = await openRows(place);
  const subs = (await rows.all('users')).map(({ sub }) => sub as string);
  await addRegistrations(rows, count);
  // In another order than they were registered in, and each as often as any other.
  const order = shuffled(Array.from({ length: count }, (_, number) => number));
  const ownerOf = (family: number): Owner => {
    const number = order[family % count] ?? 0;
    return { app: appOf(number), clientId: clientOf(number), sub: subs[family % subs.length] ?? '' };
  };
  await addFamilies(place, rows, families, ownerOf, lineOf);
  await addCodes(place, rows, codes, ownerOf, lineOf);
  await addSessions(place, rows, sessions, ownerOf, lineOf);
  await rows.close();
}

/** The request of one application as a request of each: the lines of the load have its name and the credentials of its client. */
export function requestOfEach(form: RequestForm): RequestForm {
  const { headers = {} } = form;
  const isClient = headers.authorization?.startsWith('Basic');
  return {
    ...form,
    url: form.url.replace(/(authorize\/)[^/]+/, '$1{1}').replace(`client_id=${CLIENT_ID}`, 'client_id={3}'),
    headers: { ...headers, ...(isClient && { authorization: 'Basic {2}' }) },
  };
}

/** The application, the credentials of its client, its client_id, the token. */
function lineOf({ app, clientId }: Owner, token: string): string {
  return [app, Buffer.from(`${clientId}:${CLIENT_SECRET}`).toString('base64'), clientId, token].join(TAB);
}

async function addRegistrations(rows: Rows, count: number): Promise<void> {
  const [application] = await rows.all('applications');
  const [client] = await rows.all('clients');
  const [origin] = await rows.all('client_origins');
  const ring = createKeyRing([GATEHOUSE_SECRET], systemRandom);
  const keySets = await Promise.all(Array.from({ length: Math.min(KEY_SETS, count) }, makeKeys));
  for (let start = 1; start < count; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => start + index);
    const each = (row: (app: string, client_id: string, number: number) => Row) =>
      numbers.map(number => row(appOf(number), clientOf(number), number));
    await rows.add(
      'applications',
      each(code => ({ ...application, code, name: code })),
    );
    await rows.add('clients', each(clientRow));
    await rows.add(
      'client_origins',
      each((app, client_id) => ({ ...origin, app, client_id })),
    );
    const keys = (number: number) => keySets[number % keySets.length] ?? [];
    await rows.add(
      'signing_keys',
      numbers.flatMap(number => keys(number).map(key => sealedFor(appOf(number), key))),
    );
  }

  function clientRow(app: string, client_id: string): Row {
    const metadata = JSON.stringify({ ...JSON.parse(client?.metadata as string), client_id });
    return { app, client_id, secret_hash: ring.hashClientSecret(app, client_id, CLIENT_SECRET), metadata };
  }

  /** Of each algorithm that an application has a key for: its client's and its default. */
  function makeKeys(): Promise<SealedKey[]> {
    const now = Math.floor(Date.now() / 1000);
    const making = { ring, generateKeyPair: generateSystemKeyPair };
    const times = { now, signFrom: now };
    return Promise.all((['ES256', 'RS256'] as const).map(alg => makeKey(making, POOL, alg, times)));
  }

  function sealedFor(app: string, { kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom }: SealedKey): Row {
    const plain = ring.open('signing key', sealedPrivateKey, contextOf(POOL, kid));
    if (!plain) throw new Error('a signing key is sealed in another way than this file knows');
    const sealed_private_key = ring.seal('signing key', plain, contextOf(app, kid));
    const times = { created_at: createdAt, sign_from: signFrom, has_signed: true };
    return { app, kid, alg, public_jwk: publicJwk, sealed_private_key, ...times };
  }
}

/** As src/oauth/signing-keys/signing-key.ts has it. */
function contextOf(app: string, kid: string): string {
  return `signing key ${app} ${kid}`;
}
