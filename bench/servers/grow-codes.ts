/** Live codes of people nobody logs out, and sessions of others for the load to end. */
import { writeFileSync } from 'node:fs';
import { keyOf, newCredential } from '../../src/credentials.ts';
import { systemRandom } from '../../src/random.ts';
import { APP, CLIENT_ID, REDIRECT_URI, SCOPE, users } from '../fixture.ts';
import type { RequestForm } from '../load/request.ts';
import { GATEHOUSE, provisionGatehouse } from './gatehouse.ts';
import { growUsers, subOf } from './grow-users.ts';
import { type Place, valueFiles } from './place.ts';
import { openRows, type Row } from './rows.ts';

const USERS = 1000;
/** Longer than the measuring may take. */
const CODE_LIFE = 12 * 3600;
const SESSION_LIFE = 30 * 86_400;

export async function growCodes(place: Place, codes: number, sessions: number): Promise<void> {
  await provisionGatehouse(place, users.slice(0, 1));
  await growUsers(place, USERS);
  const now = Math.floor(Date.now() / 1000);
  const cookies = Array.from({ length: sessions }, () => newCredential('session', now + SESSION_LIFE, systemRandom));
  const rows = await openRows(place);
  await rows.add('codes', codeRows(codes, now));
  await rows.add('sessions', sessionRows(cookies, now));
  // SQLite passes over a row that lacks a column.
  for (const table of ['codes', 'sessions']) await rows.first(table);
  await rows.close();
  writeFileSync(valueFiles(place.folder, GATEHOUSE).sessions, `${cookies.join('\n')}\n`);
}

/** The form of the logout page, as the browser of a session sends it. */
export function logoutRequest({ folder }: Place, baseUrl: string): RequestForm {
  return {
    method: 'POST',
    url: `${baseUrl}/logout`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: 'gatehouse_session={value}' },
    body: '',
    values: { file: valueFiles(folder, GATEHOUSE).sessions, use: 'once' },
  };
}

function* codeRows(count: number, now: number): Generator<Row> {
  for (let number = 0; number < count; number++) {
    const end = now + CODE_LIFE + Math.floor((number / count) * 300);
    yield {
      app: APP,
      code_hash: keyOf(newCredential('code', end, systemRandom)),
      client_id: CLIENT_ID,
      sub: subOf(USERS + number),
      scope: SCOPE,
      auth_time: now,
      amr: 'pwd',
      sid: `sid-${number}`,
      redirect_uri: REDIRECT_URI,
      client_authentication_required: false,
      with_refresh: true,
      expires_at: end,
    };
  }
}

function* sessionRows(cookies: readonly string[], now: number): Generator<Row> {
  for (const [number, cookie] of cookies.entries()) {
    const name = systemRandom.bytes(16).toString('base64url');
    yield {
      id_hash: keyOf(cookie),
      sid: name,
      sub: subOf(1 + (number % (USERS - 1))),
      auth_time: now,
      amr: 'pwd',
      opened_by: name,
      idle_expires_at: now + SESSION_LIFE,
      expires_at: now + SESSION_LIFE,
    };
  }
}
