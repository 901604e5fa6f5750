import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { introspect, redeem, refresh } from '../build/client.ts';
import { until } from '../build/until.ts';
import { answerIn, authorizationUrl, signIn, Visitor } from '../build/visitor.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { provisioned, type ServerProcess, startServer } from './server-process.ts';

const CODES = 60;
const CALLERS = 12;

/** What a caller knows of one code: whether it was redeemed, and the newest token set that came from it. */
interface Family {
  readonly code: string;
  redeemed: boolean;
  access?: string;
  refresh?: string;
  /** The last request was not answered: the server may have done it or not. */
  unanswered?: 'redeem' | 'refresh';
}

/** Every kill comes when so many codes more are redeemed: a quarter of them, and at each kill another tenth. */
export function sqliteServerIsKilled(kills: number): void {
  describe('kill -9 of a server on SQLite under load', () => {
    it(`loses no token set it answered with, and redeems no code twice, ${kills} times`, async t => {
      const folder = temporaryFolder();
      t.after(() => folder.remove());
      const database = folder.file('gatehouse.db');
      await provisioned(database);
      const counted = { kills: 0, redeemed: 0, refreshed: 0, unanswered: 0, checked: 0, retried: 0, doneUnheard: 0 };

      let server = await startServer({ database });
      t.after(() => server.kill('SIGKILL'));
      for (let round = 0; round < kills; round++) {
        const families = await freshCodes(server);
        const load = loadUntilGone(server, families, counted);
        const enough = counted.redeemed + CODES / 4 + ((round % 5) * CODES) / 10;
        await until('enough codes are redeemed', () => counted.redeemed >= enough);
        await server.kill('SIGKILL');
        counted.kills++;
        await load;
        server = await startServer({ database, port: server.port });
        for (const family of families) await check(server, family, counted);
      }
      t.diagnostic(JSON.stringify(counted));
      assert(counted.redeemed > kills && counted.refreshed > kills, 'there was no load');
      assert(counted.unanswered >= kills, 'no request was under way when the server was killed');
      assert.equal(await server.kill('SIGTERM'), 0);
      const file = new DatabaseSync(database, { readOnly: true });
      assert.equal(file.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
      file.close();
    });
  });
}

async function freshCodes(server: ServerProcess): Promise<Family[]> {
  const visitor = new Visitor(server.base);
  await signIn(server, {}, { visitor });
  const codes = Array.from({ length: CODES }, async (): Promise<Family> => {
    const { code } = answerIn(await visitor.go(authorizationUrl(server, { scope: 'openid' })));
    assert(code);
    return { code, redeemed: false };
  });
  return Promise.all(codes);
}

type Counted = Record<'redeemed' | 'refreshed' | 'unanswered' | 'checked' | 'retried' | 'doneUnheard', number>;

/** Callers redeem codes and refresh the tokens they got, until the server does not answer any more. */
async function loadUntilGone(server: ServerProcess, families: readonly Family[], counted: Counted): Promise<void> {
  let next = 0;
  const caller = async () => {
    for (let family = families[next++]; family; family = families[next++]) {
      for (let step = 0; step < 4; step++) {
        if (await advance(server, family, counted)) continue;
        counted.unanswered++;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** One step of a family; false when there was no answer. */
async function advance(server: ServerProcess, family: Family, counted: Counted): Promise<boolean> {
  const what = family.redeemed ? 'refresh' : 'redeem';
  try {
    const answered = await (family.redeemed ? refresh(server, family.refresh ?? '') : redeem(server, family.code));
    assert.equal(answered.status, 200, answered.text);
    counted[family.redeemed ? 'refreshed' : 'redeemed']++;
    Object.assign(family, {
      redeemed: true,
      access: answered.json.access_token,
      refresh: answered.json.refresh_token,
    });
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    family.unanswered = what;
    return false;
  }
}

/** After the restart: what was answered holds, what was not can be asked again, and a code works once. */
async function check(server: ServerProcess, family: Family, counted: Counted): Promise<void> {
  if (family.redeemed) {
    counted.checked++;
    const { json } = await introspect(server, { token: family.access ?? '' });
    assert.equal(json.active, true, 'an access token that was answered is gone');
    const again = await refresh(server, family.refresh ?? '');
    assert.equal(again.status, 200, `a refresh token that was answered is gone: ${again.text}`);
    if (family.unanswered === 'refresh') counted.retried++;
  } else {
    const retried = await redeem(server, family.code);
    if (family.unanswered === 'redeem') counted.retried++;
    else assert.equal(retried.status, 200, `a code that was never used does not work: ${retried.text}`);
    // The server may have redeemed it and died before it could say so; then it stays redeemed.
    if (retried.status !== 200) counted.doneUnheard++;
  }
  const second = await redeem(server, family.code);
  assert.equal(second.status, 400, 'a code was redeemed twice');
  assert.equal(second.json.error, 'invalid_grant');
}
