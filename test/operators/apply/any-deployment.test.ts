import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { userSchema } from '../../../src/directory/users/fields.ts';
import { fields } from '../../build/fields.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { CHOICES, fc } from '../../build/random.ts';
import { suitePart } from '../../build/suite-part.ts';
import type { TestServer } from '../../build/test-server.ts';
import { anyFile } from './any-file.ts';
import { anyHistory, happen } from './any-history.ts';
import { apply, diff, exported, storesOn, tryApply } from './export-fixture.ts';

after(stopOwnServer);

const form = fc.record({
  format: fc.constantFrom('yaml', 'json'),
  passwordHashes: fc.boolean(),
  credentials: fc.boolean(),
});
const RUNS = { SQLite: 30 * CHOICES, PostgreSQL: 10 * CHOICES };

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`any deployment on ${store}: export, diff and apply (running.md, The apply file)`, () => {
    const stores = suitePart(() => storesOn(store));
    const from = suitePart(
      () => stores.servers[0],
      () => {},
    );
    const to = suitePart(
      () => stores.servers[1],
      () => {},
    );

    it('its export is valid, diff calls it equal, and it makes the same store of another', async () => {
      const property = fc.asyncProperty(anyFile, anyHistory, form, async (file, history, options) => {
        fc.pre((await tryApply(from, JSON.stringify(file))).length === 0);
        await happen(from, history);
        const text = await exported(from, options);
        assert.deepEqual(await diff(from, text), []);
        if (history.some(({ kind }) => kind === 'access lost')) return;
        await apply(to, '{"providers": []}');
        await apply(to, text);
        assert.equal(await exported(to, options), text);
      });
      await fc.assert(property, { numRuns: RUNS[store] });
    });

    it('what a second file leaves out stays, and nothing is removed without a word', async () => {
      const property = fc.asyncProperty(anyFile, anyFile, async (first, second) => {
        // The same applications, with other fields.
        const applications = (second.applications ?? []).map((one, index) => ({
          ...one,
          code: first.applications?.[index]?.code ?? one.code,
        }));
        fc.pre(new Set(applications.map(({ code }) => code)).size === applications.length);
        fc.pre((await tryApply(from, JSON.stringify(first))).length === 0);
        const before = await stored(from);
        fc.pre((await tryApply(from, JSON.stringify({ applications }), {})).length === 0);
        const now = await stored(from);
        for (const [code, was] of before) {
          const is = now.get(code) as Entry;
          const named = applications.find(one => one.code === code) as Entry | undefined;
          for (const field of Object.keys(was)) {
            // A client keeps no scope of an API that is removed with an empty list.
            const follows = field === 'apis' || (field === 'clients' && isEmptied(named, 'apis'));
            if (named?.[field] === undefined && !follows) assert.deepEqual(is[field], was[field], `${code} ${field}`);
            if (isEmptied(named, field)) continue;
            for (const key of keysOf(was, field)) assert(keysOf(is, field).includes(key), `${code} ${field} ${key}`);
          }
        }
      });
      await fc.assert(property, { numRuns: RUNS[store] });
    });
  });
}

type Entry = Record<string, unknown>;

function isEmptied(named: Entry | undefined, field: string): boolean {
  const list = named?.[field];
  return Array.isArray(list) && list.length === 0;
}

async function stored(server: TestServer): Promise<Map<string, Entry>> {
  const { applications = [] } = JSON.parse(await exported(server, { format: 'json', users: false }));
  return new Map(applications.map((one: Entry) => [one.code as string, one]));
}

/** Of things with an identity of their own. */
function keysOf(entry: Entry, field: string): string[] {
  const key = { clients: ['client_id'], apis: ['identifier'], token_exchange: ['from', 'to'] }[field];
  if (!key) return [];
  return ((entry[field] ?? []) as Entry[]).map(one => key.map(name => one[name]).join(' '));
}

describe('random apply files', () => {
  const missing = (all: readonly object[], fields: readonly string[]) =>
    fields.filter(name => all.every(one => (one as Record<string, unknown>)[name] === undefined));

  it('have every field of applications, clients and users, or the round trips were about less', () => {
    const files = fc.sample(anyFile, 300);
    const applications = files.flatMap(file => file.applications ?? []);
    const clients = applications.flatMap(each => each.clients ?? []);
    assert.deepEqual(missing(applications, [...Object.keys(fields.application.shape), 'clients']), []);
    // No file that is exported has it: it is stored as a hash.
    assert.deepEqual(missing(clients, Object.keys(fields.client.shape)), ['client_secret']);
    assert.deepEqual(
      missing(
        files.flatMap(file => file.users ?? []),
        Object.keys(userSchema.shape),
      ),
      ['password'],
    );
  });
});
