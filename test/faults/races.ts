import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { type Given, given } from './given.ts';
import { type Cluster, PATIENT, startCluster } from './nodes.ts';
import { type Answer, inParallel, introspect, redeem, refresh, repeated } from './wire.ts';

const CALLERS = 8;
/** Families that race at the same time; each with all its callers. */
const WIDTH = 8;

/** Each credential is a race of its own; `races` of each kind. */
export function credentialsRace(races: number): void {
  describe('many callers with one credential, on two nodes and one PostgreSQL', () => {
    let database: TestDatabase;
    let start: Given;
    let cluster: Cluster;
    before(async () => {
      database = await createDatabase();
      start = await given(database.url);
      cluster = await startCluster({ databaseUrl: database.url, env: PATIENT }, 2);
    });
    after(async () => {
      await cluster?.stop();
      await start?.close();
      await database?.drop();
      await stopOwnServer();
    });

    const node = (number: number) => cluster.nodes[number % cluster.nodes.length] as Cluster['nodes'][number];
    const isActive = async (number: number, token: string): Promise<boolean> => {
      const { outcome, json, text } = await repeated(() => introspect(node(number), token));
      assert.equal(outcome, 200, text);
      return json.active;
    };
    const race = (send: (caller: number) => Promise<Answer>) =>
      Promise.all(Array.from({ length: CALLERS }, (_, caller) => repeated(() => send(caller))));

    it(`${races} codes, 8 callers each: one token set each, and invalid_grant for all other callers`, async t => {
      const codes = await start.addCodes(races);
      const winners: string[] = [];
      const refused = new Map<string, number>();
      await inParallel(codes, WIDTH, async code => {
        const answers = await race(caller => redeem(node(caller), code));
        const won = answers.filter(answer => answer.outcome === 200);
        assert.equal(won.length, 1, `${won.length} of ${CALLERS} got tokens for one code`);
        winners.push(won[0]?.json.access_token);
        for (const answer of answers.filter(one => !won.includes(one)))
          count(refused, `${answer.outcome} ${answer.json?.error}`);
      });
      // Row 38: the losers proved to be the client, so the family that the code began is ended.
      let dead = 0;
      await inParallel(winners, 16, async token => {
        if (!(await isActive(dead, token))) dead++;
      });
      const [stored] = await database.query(
        `SELECT (SELECT count(*) FROM codes WHERE grant_id IS NOT NULL)::int AS spent,
              (SELECT count(*) FROM access_tokens)::int AS tokens,
              (SELECT count(*) FROM revoked_grants)::int AS revoked`,
      );
      t.diagnostic(
        `${winners.length} codes, ${winners.length * CALLERS} callers: a token set each, ` +
          `refused ${text(refused)}; ended by the replays ${dead}`,
      );
      const raced = winners.length;
      assert.deepEqual([...refused], [['400 invalid_grant', raced * (CALLERS - 1)]]);
      assert.equal(dead, raced);
      // The code of the login that prepared the test was not redeemed.
      assert.deepEqual(stored, { spent: raced, tokens: raced, revoked: raced });
    });

    it(`${races} refresh tokens, 8 callers each: one successor, which all of them get and which lives`, async t => {
      const families = await start.addFamilies(races);
      const outcomes = new Map<string, number>();
      const successors: string[] = [];
      await inParallel(families, WIDTH, async token => {
        const answers = await race(caller => refresh(node(caller), token));
        for (const answer of answers) count(outcomes, String(answer.outcome));
        const seen = new Set<string>(answers.map(answer => answer.json?.refresh_token));
        assert.equal(seen.size, 1, 'the callers were given different successors');
        successors.push(...seen);
      });
      let alive = 0;
      await inParallel(successors, 16, async token => {
        if (await isActive(alive, token)) alive++;
      });
      const [stored] = await database.query(
        `SELECT count(*)::int AS families,
              count(*) FILTER (WHERE alive = 1)::int AS with_one_alive,
              count(*) FILTER (WHERE tokens = 2)::int AS with_one_successor,
              count(*) FILTER (WHERE revoked)::int AS revoked
       FROM (SELECT g.grant_id, g.revoked_at IS NOT NULL AS revoked, count(*) AS tokens,
                    count(*) FILTER (WHERE r.rotated_at IS NULL) AS alive
             FROM grants g JOIN refresh_tokens r USING (app, grant_id)
             WHERE NOT EXISTS (SELECT 1 FROM codes c WHERE c.app = g.app AND c.grant_id = g.grant_id) GROUP BY g.app, 1, 2
             HAVING count(*) > 1) AS family`,
      );
      t.diagnostic(
        `${successors.length} families, ${successors.length * CALLERS} callers: answers ${text(outcomes)}, ` +
          `successors alive ${alive}, families revoked ${stored?.revoked}`,
      );
      const raced = successors.length;
      assert.deepEqual([...outcomes], [['200', raced * CALLERS]]);
      assert.equal(alive, raced);
      assert.deepEqual(stored, { families: raced, with_one_alive: raced, with_one_successor: raced, revoked: 0 });
    });

    it(`${races} refresh tokens and their successors at once, 8 callers each: the family ends, or goes on in one line`, async t => {
      const families = await start.addFamilies(races);
      const outcomes = new Map<string, number>();
      let ended = 0;
      await inParallel(families, WIDTH, async first => {
        const rotated = await repeated(() => refresh(node(0), first));
        assert.equal(rotated.outcome, 200, rotated.text);
        const second = rotated.json.refresh_token;
        const answers = await race(caller => refresh(node(caller), caller % 2 === 0 ? first : second));
        for (const answer of answers) count(outcomes, `${answer.outcome} ${answer.json?.error ?? ''}`.trimEnd());
        const given = (side: number) =>
          answers
            .filter((answer, caller) => caller % 2 === side && answer.outcome === 200)
            .map(each => each.json.refresh_token);
        assert(
          given(0).every(token => token === second),
          'the first token gives its successor, and nothing else',
        );
        const [third, ...more] = new Set(given(1));
        assert.deepEqual([typeof third, more], ['string', []], 'the successor has one successor');
        // Only a caller that came with the first token after the second was used is refused, and that ends the family.
        const reused = answers.some(answer => answer.outcome === 400);
        if (reused) ended++;
        for (const [token, lives] of [
          [second, false],
          [third, !reused],
        ]) {
          assert.equal(await isActive(1, token), lives);
        }
      });
      t.diagnostic(`answers ${text(outcomes)}; families ended ${ended}`);
      assert.deepEqual(
        [...outcomes.keys()].filter(name => !['200', '400 invalid_grant'].includes(name)),
        [],
      );
    });
  });
}

function count(into: Map<string, number>, name: string): void {
  into.set(name, (into.get(name) ?? 0) + 1);
}

function text(counts: Map<string, number>): string {
  return [...counts].map(([name, times]) => `${times} × ${name}`).join(', ');
}
