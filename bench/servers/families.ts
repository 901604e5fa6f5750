/** Families of live tokens for whom and for what they are wanted, written down for the load. */
import { writeFileSync } from 'node:fs';
import { keyOf, newCredential } from '../../src/credentials.ts';
import { systemRandom } from '../../src/random.ts';
import { ACCESS_TOKEN_TTL, APP, CLIENT_ID, REFRESH_TOKEN_TTL, SCOPE } from '../fixture.ts';
import { GATEHOUSE } from './gatehouse.ts';
import { growUsers, subOf } from './grow-users.ts';
import { type Place, valueFiles } from './place.ts';
import { openRows, type Row, type Rows } from './rows.ts';

export interface Owner {
  readonly app: string;
  readonly clientId: string;
  readonly sub: string;
}

export interface Family extends Owner {
  readonly access: string;
  readonly refresh: string;
}

/** Longer than the measuring may take. */
const ACCESS_LIFE = 12 * ACCESS_TOKEN_TTL;
const SLACK = 86_400;

export async function addFamilies(rows: Rows, owners: readonly Owner[]): Promise<Family[]> {
  const now = Math.floor(Date.now() / 1000);
  const ends = { access: now + ACCESS_LIFE, refresh: now + REFRESH_TOKEN_TTL };
  const families = owners.map(owner => ({
    ...owner,
    grantId: systemRandom.bytes(16).toString('base64url'),
    access: newCredential('access', ends.access, systemRandom),
    refresh: newCredential('refresh', ends.refresh, systemRandom),
  }));
  const common = ({ app, clientId, sub, grantId }: (typeof families)[number]): Row => ({
    app,
    grant_id: grantId,
    client_id: clientId,
    sub,
    scope: SCOPE,
    issued_at: now,
  });
  await rows.add(
    'grants',
    families.map(family => ({ ...common(family), auth_time: now, amr: 'pwd', expires_at: ends.refresh + SLACK })),
  );
  await rows.add(
    'access_tokens',
    families.map(family => ({ ...common(family), token_hash: keyOf(family.access), expires_at: ends.access })),
  );
  await rows.add(
    'refresh_tokens',
    families.map(family => ({ ...common(family), token_hash: keyOf(family.refresh), expires_at: ends.refresh })),
  );
  return families;
}

/** So many users, and so many families of tokens spread over all of them, for the load. */
export async function addUsersWithTokens(place: Place, count: number, tokens: number): Promise<void> {
  await growUsers(place, count);
  const rows = await openRows(place);
  const owners = spread(tokens, count).map(number => ({ app: APP, clientId: CLIENT_ID, sub: subOf(number) }));
  const families = shuffled(await addFamilies(rows, owners));
  await rows.close();
  const files = valueFiles(place.folder, GATEHOUSE);
  for (const kind of ['access', 'refresh'] as const) {
    writeFileSync(files[kind], `${families.map(family => family[kind]).join('\n')}\n`);
  }
}

/** So many numbers of users, at even distances over all of them; but for the first, whose name in tokens the store chose. */
export function spread(length: number, count: number): number[] {
  return Array.from({ length }, (_, index) => 1 + Math.floor((index / length) * (count - 1)));
}

/** In no order, so that neighbours in the store are not neighbours in the load. */
export function shuffled<T>(all: readonly T[]): T[] {
  const result = [...all];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
