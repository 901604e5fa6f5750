/** Live tokens, codes and sessions in the store of Gatehouse, and the files from which the load takes them. */
import { writeFileSync } from 'node:fs';
import { keyOf, newCredential } from '../../src/platform/crypto/credential.ts';
import { systemRandom } from '../../src/platform/crypto/random.ts';
import {
  ACCESS_TOKEN_TTL,
  APP,
  CLIENT_ID,
  CODE_CHALLENGE,
  CODE_TTL,
  NONCE,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
} from '../fixture.ts';
import { GATEHOUSE, type Place, valueFiles } from './place.ts';
import { openRows, type Row, type Rows } from './rows.ts';

export interface Contents {
  readonly tokens: number;
  readonly codes?: number;
  /** Sessions for the load to end. */
  readonly logouts?: number;
}

export interface Owner {
  readonly app: string;
  readonly clientId: string;
  readonly sub: string;
}

const BATCH = 5000;
/** How many families the load gets to know, spread over all. */
const MAX_SAMPLE = 100_000;
/** Beyond what the measurement may take. */
const SLACK = 86_400;

/** The users must be there. */
export async function fill(place: Place, { tokens, codes = 0, logouts = 0 }: Contents): Promise<void> {
  const rows = await openRows(place);
  const subs = (await rows.all('users')).map(({ sub }) => sub as string);
  const subOf = (number: number) => subs[number % subs.length] ?? '';
  const ownerOf = (number: number): Owner => ({ app: APP, clientId: CLIENT_ID, sub: subOf(number) });
  await addFamilies(place, rows, tokens, ownerOf);
  const files = valueFiles(place.folder, GATEHOUSE);
  await addCodes(place, rows, codes, ownerOf);
  await addSessions(place, rows, subs.length, ownerOf);
  writeLines(files.logouts, await addEach(rows, 'sessions', logouts, number => sessionRow(subOf(number))));
  await rows.close();
}

export async function addSessions(
  { folder }: Place,
  rows: Rows,
  count: number,
  ownerOf: (number: number) => Owner,
  lineOf = (_owner: Owner, cookie: string) => cookie,
): Promise<void> {
  const made = (number: number): Made => {
    const owner = ownerOf(number);
    const [cookie, row] = sessionRow(owner.sub);
    return [lineOf(owner, cookie), row];
  };
  writeLines(valueFiles(folder, GATEHOUSE).sessions, await addEach(rows, 'sessions', count, made));
}

export async function addCodes(
  { folder }: Place,
  rows: Rows,
  count: number,
  ownerOf: (number: number) => Owner,
  lineOf = (_owner: Owner, code: string) => code,
): Promise<void> {
  const made = (number: number): Made => {
    const owner = ownerOf(number);
    const [code, row] = codeRow(owner);
    return [lineOf(owner, code), row];
  };
  writeLines(valueFiles(folder, GATEHOUSE).codes, await addEach(rows, 'codes', count, made));
}

export function writeLines(file: string, lines: readonly string[]): void {
  writeFileSync(file, `${lines.join('\n')}\n`);
}

/** Families of tokens of all ages; a line of the load for a sample of them, in no order: `lineOf` has it by the token. */
export async function addFamilies(
  { folder }: Place,
  rows: Rows,
  count: number,
  ownerOf: (number: number) => Owner,
  lineOf = (_owner: Owner, token: string) => token,
): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const sample: { readonly access: string; readonly refresh: string }[] = [];
  const step = Math.max(1, Math.floor(count / MAX_SAMPLE));
  for (let start = 0; start < count; start += BATCH) {
    const families = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => {
      const number = start + index;
      const owner = ownerOf(number);
      const age = 1 - number / count;
      const accessEnd = now + SLACK / 2 + ACCESS_TOKEN_TTL - Math.floor(age * ACCESS_TOKEN_TTL * 0.75);
      const refreshEnd = now + SLACK + REFRESH_TOKEN_TTL - Math.floor(age * REFRESH_TOKEN_TTL * 0.75);
      const access = newCredential('access', accessEnd, systemRandom);
      const refresh = newCredential('refresh', refreshEnd, systemRandom);
      if (number % step === 0) sample.push({ access: lineOf(owner, access), refresh: lineOf(owner, refresh) });
      const { app, clientId: client_id, sub } = owner;
      const grant_id = systemRandom.bytes(16).toString('base64url');
      const common = { app, client_id, sub, grant_id, scope: SCOPE, issued_at: now };
      return {
        grant: { ...common, auth_time: now, amr: 'pwd', started_at: now, expires_at: now + 2 * REFRESH_TOKEN_TTL },
        access: { ...common, token_hash: keyOf(access), expires_at: accessEnd },
        refresh: { ...common, token_hash: keyOf(refresh), expires_at: refreshEnd },
      };
    });
    const column = (kind: 'grant' | 'access' | 'refresh') => families.map(family => family[kind]);
    await rows.add('grants', column('grant'));
    await rows.add('access_tokens', column('access'));
    await rows.add('refresh_tokens', column('refresh'));
  }
  const files = valueFiles(folder, GATEHOUSE);
  const mixed = shuffled(sample);
  for (const kind of ['access', 'refresh'] as const) {
    writeLines(
      files[kind],
      mixed.map(family => family[kind]),
    );
  }
}

/** So that neighbours in the store are not neighbours in the load. */
export function shuffled<T>(all: readonly T[]): T[] {
  const result = [...all];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

type Made = readonly [credential: string, row: Row];

async function addEach(rows: Rows, table: string, count: number, make: (number: number) => Made): Promise<string[]> {
  const credentials: string[] = [];
  for (let start = 0; start < count; start += BATCH) {
    const made = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => make(start + index));
    credentials.push(...made.map(([credential]) => credential));
    await rows.add(
      table,
      made.map(([, row]) => row),
    );
  }
  return credentials;
}

function codeRow({ app, clientId: client_id, sub }: Owner): Made {
  const now = Math.floor(Date.now() / 1000);
  const code = newCredential('code', now + CODE_TTL, systemRandom);
  const request = { redirect_uri: REDIRECT_URI, code_challenge: CODE_CHALLENGE, nonce: NONCE, scope: SCOPE };
  const login = { sub, auth_time: now, amr: 'pwd' };
  const rest = { client_authentication_required: false, with_refresh: true, expires_at: now + CODE_TTL };
  return [code, { app, code_hash: keyOf(code), client_id, ...request, ...login, ...rest }];
}

function sessionRow(sub: string): Made {
  const now = Math.floor(Date.now() / 1000);
  const end = now + REFRESH_TOKEN_TTL;
  const cookie = newCredential('session', end, systemRandom);
  const name = systemRandom.bytes(16).toString('base64url');
  const times = { auth_time: now, idle_expires_at: now + SLACK, expires_at: end };
  return [cookie, { id_hash: keyOf(cookie), sid: name, sub, amr: 'pwd', opened_by: name, ...times }];
}
