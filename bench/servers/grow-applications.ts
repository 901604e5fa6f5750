/**
 * Many applications, each with what one in use has: a client with a secret, a signing key of every algorithm (they are all
 * made when the key set is first read), a user, and families of tokens.
 */
import { writeFileSync } from 'node:fs';
import { generateSystemKeyPair } from '../../src/keys/key-pair.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import { makeKey } from '../../src/keys/signing-key.ts';
import { systemRandom } from '../../src/random.ts';
import type { SealedKey } from '../../src/store/signing-keys.ts';
import { APP, CLIENT_ID, CLIENT_SECRET, GATEHOUSE_SECRET } from '../fixture.ts';
import { TAB } from '../load/request.ts';
import { addFamilies, type Family, type Owner, shuffled } from './families.ts';
import { GATEHOUSE } from './gatehouse.ts';
import { growUsers, subOf } from './grow-users.ts';
import { type Place, valueFiles } from './place.ts';
import { openRows, type Row, type Rows } from './rows.ts';

/** An RSA key takes a tenth of a second to make: some serve for all, sealed for each application anew. */
const KEYS_OF_EACH_KIND = 8;

/** So many in all, with the one that is there, and so many families of tokens spread over them. */
export async function growApplications(place: Place, count: number, families: number): Promise<void> {
  const rows = await openRows(place);
  const first = (await rows.first('users')).sub as string;
  await growUsers(place, count);
  await addApplications(
    rows,
    Array.from({ length: count - 1 }, (_, index) => index + 1),
  );
  const ownerOf = (number: number): Owner => ({
    app: appOf(number),
    clientId: clientOf(number),
    sub: number === 0 ? first : subOf(number),
  });
  write(place, await addFamilies(rows, turns(families, count).map(ownerOf)));
  await rows.close();
}

/** All applications in no order, then all in another: so many requests as there are applications reach every one. */
function turns(families: number, count: number): number[] {
  const all = Array.from({ length: count }, (_, number) => number);
  return Array.from({ length: Math.ceil(families / count) }, () => shuffled(all))
    .flat()
    .slice(0, families);
}

const appOf = (number: number): string => (number === 0 ? APP : `${APP}-${number}`);
const clientOf = (number: number): string => (number === 0 ? CLIENT_ID : `${CLIENT_ID}-${number}`);

async function addApplications(rows: Rows, numbers: readonly number[]): Promise<void> {
  const [application, client, origin] = [
    await rows.first('applications'),
    await rows.first('clients'),
    await rows.first('client_origins'),
  ];
  const ring = createKeyRing([GATEHOUSE_SECRET], systemRandom);
  const clientRow = (number: number): Row => {
    const [app, id] = [appOf(number), clientOf(number)];
    const metadata = JSON.stringify({ ...JSON.parse(client.metadata as string), client_id: id });
    return { app, client_id: id, secret_hash: ring.hashClientSecret(app, id, CLIENT_SECRET), metadata };
  };
  await rows.add(
    'applications',
    numbers.map(number => ({ ...application, code: appOf(number), name: `Benchmark ${number}` })),
  );
  await rows.add('clients', numbers.map(clientRow));
  await rows.add(
    'client_origins',
    numbers.map(number => ({ ...origin, app: appOf(number), client_id: clientOf(number) })),
  );
  const keys = await makeKeys();
  await rows.add(
    'signing_keys',
    numbers.flatMap(number => keys[number % keys.length]?.map(key => sealedFor(appOf(number), key)) ?? []),
  );

  function sealedFor(app: string, { kid, alg, publicJwk, sealedPrivateKey, createdAt, signFrom }: SealedKey): Row {
    const plain = ring.open('signing key', sealedPrivateKey, contextOf(POOL, kid));
    if (!plain) throw new Error('a signing key is sealed in another way than this file knows');
    const sealed = ring.seal('signing key', plain, contextOf(app, kid));
    return {
      app,
      kid,
      alg,
      public_jwk: publicJwk,
      sealed_private_key: sealed,
      created_at: createdAt,
      sign_from: signFrom,
    };
  }

  /** Of each algorithm that an application has a key for: its client's and its default. */
  async function makeKeys(): Promise<SealedKey[][]> {
    const now = Math.floor(Date.now() / 1000);
    const making = { ring, generateKeyPair: generateSystemKeyPair };
    const set = () =>
      Promise.all((['ES256', 'RS256'] as const).map(alg => makeKey(making, POOL, alg, { now, signFrom: now })));
    return Promise.all(Array.from({ length: Math.min(KEYS_OF_EACH_KIND, numbers.length) }, set));
  }
}

/** Where the keys wait for their application. */
const POOL = 'pool';

/** As src/keys/signing-key.ts has it. */
function contextOf(app: string, kid: string): string {
  return `signing key ${app} ${kid}`;
}

/** Each line: the application, the credentials of its client, the token. */
function write({ folder }: Place, families: readonly Family[]): void {
  const files = valueFiles(folder, GATEHOUSE);
  for (const kind of ['access', 'refresh'] as const) {
    const lines = families.map(({ app, clientId, [kind]: token }) => {
      const basic = Buffer.from(`${clientId}:${CLIENT_SECRET}`).toString('base64');
      return [app, basic, token].join(TAB);
    });
    writeFileSync(files[kind], `${lines.join('\n')}\n`);
  }
}
