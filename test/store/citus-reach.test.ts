import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { NOTE_CLIENT, revokeCodes, revokeGrants, SELECT_KNOWN } from '../../src/oauth/token/grants.postgres.ts';
import { applicationOfPart } from '../../src/platform/store/application-parts.ts';
import { delegatedFunctions } from '../../src/platform/store/citus/functions.citus.ts';
import { onAllParts } from '../../src/platform/store/citus/parts.ts';
import { type Reach, reachIn } from '../../src/platform/store/citus/reach.ts';
import { statement } from '../../src/platform/store/postgres/statement.ts';

const reachOf = reachIn(storeTables().placements);

const of = (text: string) => reachOf(statement(text));

describe('which servers of a Citus cluster a statement needs', () => {
  it('a function of an application needs the worker of the part in its first value', () => {
    for (const { statement: each } of delegatedFunctions) assert.deepEqual(reachOf(each), { partIn: 0 });
  });

  it('a statement with the application as a value needs the worker of that value', () => {
    assert.deepEqual(reachOf(revokeGrants('app = $2 AND grant_id = $3')), { partIn: 1 });
    assert.deepEqual(of(`WITH noted AS (${NOTE_CLIENT}) ${SELECT_KNOWN}`), { partIn: 0 });
    const known = `EXISTS (SELECT 1 FROM clients WHERE app = ${applicationOfPart('$1')})`;
    assert.deepEqual(of(`SELECT 1 FROM refresh_tokens t WHERE t.app = $1 AND ${known}`), { partIn: 0 });
  });

  const everywhere: Readonly<Record<string, Reach>> = {
    'a logout': reachOf(revokeGrants('sid = ANY ($2::text[])')),
    'the codes of a user': reachOf(revokeCodes('sub = $2')),
    'all parts of an application': reachOf(
      onAllParts(app => revokeGrants(`${app} = $2 AND client_id = $3`)).onCitus ?? assert.fail(),
    ),
    'a new row of a reference table': of('INSERT INTO ended_sessions (sid, expires_at) VALUES ($1, $2)'),
    'a change of a reference table': of('UPDATE users SET disabled = $1 WHERE sub = $2'),
    'a lock on a row of a reference table': of('SELECT 1 FROM users WHERE sub = $1 FOR UPDATE'),
  };
  for (const [what, reach] of Object.entries(everywhere)) {
    it(`${what} needs all workers`, () => assert.equal(reach, 'everywhere'));
  }

  it('what a login writes, and what it reads of the user, needs no worker', () => {
    for (const text of [
      'INSERT INTO sessions (id_hash, sid) SELECT $1, $2 WHERE EXISTS (SELECT 1 FROM users WHERE sub = $3 AND NOT disabled)',
      'INSERT INTO spent_logins (pending_id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      'INSERT INTO consents (sub, app) VALUES ($1, $2) ON CONFLICT (sub, app) DO UPDATE SET scope = excluded.scope',
      "UPDATE credentials SET last_step = $1 WHERE sub = $2 AND id = 'totp'",
      'INSERT INTO used_ids (key, call_id) SELECT key, call_id FROM request',
      'SELECT scope FROM consents WHERE sub = $1 AND app = $2 FOR UPDATE',
      'SELECT sub FROM login_names WHERE name = $1',
    ])
      assert.equal(of(text), 'coordinator', text);
  });
});
