/**
 * A PostgreSQL with the rows of so many users, by statements of the database itself. Indexes stay in place and random keys come in
 * no order: an index that is built afterwards would be denser than one that grew.
 */
import { Client } from 'pg';
import { createPasswords, passwordLimits } from '../../src/people/password/passwords.ts';
import { systemRandom } from '../../src/platform/crypto/random.ts';
import { APP, CLIENT_ID, CODE_CHALLENGE, NONCE, PASSWORD, REDIRECT_URI, SCOPE } from '../fixture.ts';
import { writeLines } from '../servers/fill.ts';
import { provisionGatehouse, usernameFile } from '../servers/gatehouse.ts';
import { databaseUrl, GATEHOUSE, type Place, valueFiles } from '../servers/place.ts';
import type { RowCounts } from './rows.ts';

/** How many values of each kind the load gets to know, spread over all. */
const MAX_SAMPLE = 60_000;
const DAY = 86_400;

/**
 * Credentials as src/platform/crypto/credential.ts makes them, but with secrets that follow from a number: the load needs the text, the tables its key.
 * In SQL, as text and not as functions, which would take ten times as long. `n` is the number, `e` the end of the credential.
 */
const base64url = (bytes: string) => `translate(rtrim(encode(${bytes}, 'base64'), '='), '+/', '-_')`;
const STAMP = `decode(lpad(to_hex(e), 8, '0') || lpad(to_hex(n % 65536), 4, '0'), 'hex')`;
const credential = (prefix: string) =>
  `'${prefix}' || ${base64url(STAMP)} || ${base64url(`sha256(('${prefix}' || n)::bytea)`)}`;
const keyOf = (text: string) => `${STAMP} || sha256((${text})::bytea)`;
const id = (kind: string, number: string) => `substr(md5('${kind}' || ${number}), 1, 22)`;

/** Users of families, sessions and so on are taken in no order: consecutive rows belong to users all over the table. */
const userOf = (n: string, users: number) => id('sub', `(${n} * 7919::bigint) % ${users}`);

export async function fillPlace(place: Place, counts: RowCounts, say: (line: string) => void): Promise<void> {
  if (!place.postgres) throw new Error('the model is about PostgreSQL');
  await provisionGatehouse(place, []);
  const db = new Client({ connectionString: databaseUrl(place.postgres, GATEHOUSE) });
  await db.connect();
  // Foreign keys and triggers of the former release check nothing that could be wrong here.
  await db.query('SET session_replication_role = replica; SET synchronous_commit = off; SET jit = off');
  const passwordHash = await createPasswords(systemRandom, passwordLimits(1, 1)).hash(PASSWORD);
  const now = Math.floor(Date.now() / 1000);
  for (const [table, statement] of Object.entries(statements(counts, now, passwordHash))) {
    const began = performance.now();
    await db.query(statement);
    say(`  ${table}: ${Math.round((performance.now() - began) / 1000)} s`);
  }
  await writeSamples(db, place, counts, now);
  await db.query(`UPDATE event_chain SET last_seq = ${counts.events}`);
  await db.query('VACUUM ANALYZE');
  await db.query('CHECKPOINT');
  await db.end();
}

/** When credentials expire: the first and the last one, in the order of the rows, as they were issued. */
const lifetimes = {
  refresh_tokens: [DAY, 30 * DAY],
  sessions: [DAY, 30 * DAY],
  access_tokens: [DAY / 4, (3 * DAY) / 4],
  codes: [DAY / 4, (3 * DAY) / 4],
} as const;

/** Numbers with the end of a credential each. */
function issued(
  table: keyof typeof lifetimes,
  counts: RowCounts,
  now: number,
  step = 1,
  count = counts[table],
): string {
  const [first, last] = lifetimes[table];
  const end = `${now + first} + n * ${last - first}::bigint / ${Math.max(1, counts[table])}`;
  return `(SELECT n, ${end} AS e FROM generate_series(0::bigint, ${count - 1}, ${step}) AS n) AS issued`;
}

/** Every so many-th refresh token is the living one of its family; those between have been rotated. */
const perFamily = ({ refresh_tokens, grants }: RowCounts) => Math.max(1, Math.floor(refresh_tokens / grants));

function statements(counts: RowCounts, now: number, passwordHash: string): Record<string, string> {
  const { users } = counts;
  const numbers = (count: number) => `generate_series(0::bigint, ${count - 1}) AS n`;
  const each = perFamily(counts);
  const grant = id('grant', `n % ${counts.grants}`);
  const login = `'${SCOPE}', ${now}, 'pwd'`;
  const session = id('sid', `n % ${Math.max(1, counts.sessions)}`);
  const isRotated = `n % ${each} > 0`;
  return {
    users: `INSERT INTO users (sub, username, nickname, picture, email, email_verified, phone_number, phone_number_verified, disabled,
        updated_at)
      SELECT ${id('sub', 'n')}, 'user-' || n, 'User ' || n, 'https://bench.example/pictures/' || n || '.png',
        'user-' || n || '@bench.example', TRUE, '+86138' || n, FALSE, FALSE, ${now} FROM ${numbers(users)}`,
    login_names: `INSERT INTO login_names (login_name, sub)
      SELECT CASE n % 3 WHEN 0 THEN 'user-' || n / 3 WHEN 1 THEN 'user-' || n / 3 || '@bench.example' ELSE '+86138' || n / 3 END,
        ${id('sub', 'n / 3')} FROM ${numbers(counts.login_names)} ORDER BY md5(n::text)`,
    credentials: `INSERT INTO credentials (sub, id, kind, data, created_at)
      SELECT ${id('sub', 'n')}, 'password', 'password', '${passwordHash}', ${now} FROM ${numbers(users)}`,
    consents: `INSERT INTO consents (sub, app, client_id, scope, given_at)
      SELECT ${id('sub', 'n')}, '${APP}', '${CLIENT_ID}', '${SCOPE}', ${now} FROM ${numbers(counts.consents)}`,
    sessions: `INSERT INTO sessions (id_hash, sid, sub, auth_time, amr, opened_by, idle_expires_at, expires_at, user_agent, address,
        started_at)
      SELECT ${keyOf(credential('gse_'))}, ${id('sid', 'n')}, ${userOf('n', users)},
        ${now}, 'pwd', ${id('request', 'n')}, ${now + DAY}, e,
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36', '192.0.2.7', ${now}
      FROM ${issued('sessions', counts, now)}`,
    session_clients: `INSERT INTO session_clients (sid, app, client_id)
      SELECT ${id('sid', 'n')}, '${APP}', '${CLIENT_ID}' FROM ${numbers(counts.session_clients)}`,
    grants: `INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, expires_at, started_at)
      SELECT '${APP}', ${grant}, '${CLIENT_ID}', ${userOf('n', users)}, ${login}, ${session},
        ${now + 60 * DAY} + n % ${DAY}, ${now} FROM ${numbers(counts.grants)}`,
    refresh_tokens: `INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at, rotated_at, successor_hash)
      SELECT '${APP}', ${keyOf(credential('grt_'))},
        ${id('grant', `(n / ${each}) % ${counts.grants}`)}, ${now}, e,
        CASE WHEN ${isRotated} THEN ${now} END, CASE WHEN ${isRotated} THEN ${keyOf("'next' || n")} END
      FROM ${issued('refresh_tokens', counts, now)}`,
    access_tokens: `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, issued_at, expires_at, auth_time, amr)
      SELECT '${APP}', ${keyOf(credential('gat_'))}, ${grant}, '${CLIENT_ID}',
        ${userOf('n', users)}, '${SCOPE}', ${now}, e, ${now}, 'pwd' FROM ${issued('access_tokens', counts, now)}`,
    codes: `INSERT INTO codes (app, code_hash, client_id, sub, scope, auth_time, amr, sid, nonce, redirect_uri, code_challenge,
        client_authentication_required, expires_at, with_refresh)
      SELECT '${APP}', ${keyOf(credential('gac_'))}, '${CLIENT_ID}', ${userOf('n', users)},
        ${login}, ${session}, '${NONCE}', '${REDIRECT_URI}', '${CODE_CHALLENGE}',
        FALSE, e, TRUE FROM ${issued('codes', counts, now)}`,
    events: `INSERT INTO events (id, time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent, request_id,
        details, seq, hash)
      SELECT 'evt_' || lpad(to_hex(${now - 400 * DAY} + n * ${400 * DAY}::bigint / ${counts.events}), 8, '0')
        || substr(md5('event' || n), 1, 26), ${now - 400 * DAY} + n * ${400 * DAY}::bigint / ${counts.events}, 'user.login.succeeded',
        'success', 'user', ${userOf('n', users)}, ${userOf('n', users)}, '${APP}', '${CLIENT_ID}', '192.0.2.7',
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36', ${id('request', 'n')},
        '{"sid":"' || ${id('sid', 'n')} || '","amr":["pwd"]}', n + 1, sha256(n::text::bytea) FROM ${numbers(counts.events)}`,
  };
}

/** In a file beside the one of the load: values that nothing else uses. */
export function spareFile(file: string): string {
  return `${file}.spare`;
}
const MAX_SPARE = 1000;

/** In no order, so that neighbours in the store are not neighbours in the load. */
async function writeSamples(db: Client, { folder }: Place, counts: RowCounts, now: number): Promise<void> {
  const files = valueFiles(folder, GATEHOUSE);
  const sample = async (file: string, value: string, from: (step: number) => string, count: number) => {
    const text = `SELECT ${value} FROM ${from(Math.max(1, Math.floor(count / MAX_SAMPLE)))} ORDER BY md5(n::text)`;
    const { rows } = await db.query({ text, rowMode: 'array' });
    const lines = rows.map(([line]) => line);
    const spare = Math.min(MAX_SPARE, Math.floor(lines.length / 2));
    writeLines(spareFile(file), lines.slice(0, spare));
    writeLines(file, lines.slice(spare));
  };
  const all = (table: keyof typeof lifetimes) => (step: number) => issued(table, counts, now, step);
  await sample(files.access, credential('gat_'), all('access_tokens'), counts.access_tokens);
  await sample(files.codes, credential('gac_'), all('codes'), counts.codes);
  await sample(files.sessions, credential('gse_'), all('sessions'), counts.sessions);
  writeLines(files.logouts, []);
  // Of the first families only: beyond them the numbers of families repeat.
  const each = perFamily(counts);
  const living = (step: number) => issued('refresh_tokens', counts, now, step * each, each * counts.grants);
  await sample(files.refresh, credential('grt_'), living, counts.grants);
  const names = (step: number) => `generate_series(0::bigint, ${counts.users - 1}, ${step}) AS n`;
  await sample(usernameFile(folder), "'user-' || n", names, counts.users);
}
