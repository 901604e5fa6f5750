import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { applicationSchema, clientSchema } from '../../src/applications/registration.ts';
import { generateSystemKeyPair } from '../../src/keys/key-pair.ts';
import { readApplyFiles } from '../../src/provisioning/apply-file.ts';
import { plannedLine } from '../../src/provisioning/difference.ts';
import { type ExportOptions, exportText } from '../../src/provisioning/export.ts';
import { planChanges } from '../../src/provisioning/plan.ts';
import { fixedClock } from '../build/clock.ts';
import { createMigratedDatabase, stopOwnServer } from '../build/postgres.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { anyFile } from './any-file.ts';

after(stopOwnServer);

/** Everything that the file does not name is deleted, so the store is what the file says. */
const EVERYTHING = { prune: true, pruneUsers: true, allowEmpty: true };

async function apply({ services }: TestServer, text: string): Promise<void> {
  const read = readApplyFiles([{ name: 'file', text }]);
  assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
  const { changes } = await planChanges(services, read.file, EVERYTHING);
  assert.deepEqual(await services.store.provision(changes), { kind: 'done' });
}

async function diff({ services }: TestServer, text: string): Promise<string[]> {
  const read = readApplyFiles([{ name: 'export', text }]);
  assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
  const { differences } = await planChanges(services, read.file, { ...EVERYTHING, dryRun: true });
  return differences.map(plannedLine);
}

async function exported({ services }: TestServer, over: Partial<ExportOptions> = {}): Promise<string> {
  const options: ExportOptions = { format: 'yaml', users: true, passwordHashes: false, ...over };
  let text = '';
  for await (const part of exportText(services, options)) text += part;
  return text;
}

/** Two stores; which key an application has does not matter here, and RSA keys take long to make. */
const twoStores = async (env: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>) => {
  const start = (its: Readonly<Record<string, string>>) =>
    startTestServer({
      applications: [],
      users: [],
      clock: fixedClock(),
      env: its,
      generateKeyPair: () => generateSystemKeyPair('ES256'),
    });
  return [await start(env), await start(other)] as const;
};

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`export on ${store} (admin.md, Command line)`, () => {
    let from: TestServer;
    let to: TestServer;
    const close: (() => unknown)[] = [];
    before(async () => {
      const databases = store === 'PostgreSQL' ? [await createMigratedDatabase(), await createMigratedDatabase()] : [];
      const [one, two] = databases.map(({ url }) => ({ DATABASE_URL: url }));
      [from, to] = await twoStores(one ?? {}, two ?? {});
      close.push(
        () => from.close(),
        () => to.close(),
        ...databases.map(database => () => database.drop()),
      );
    });
    after(async () => {
      for (const each of close) await each();
    });

    it('of any apply file is a file that diff calls equal, and that makes the same store of another', async () => {
      const property = fc.asyncProperty(anyFile, fc.constantFrom('yaml', 'json'), async (file, format) => {
        const source = JSON.stringify(file);
        fc.pre(readApplyFiles([{ name: 'random', text: source }]).kind === 'valid');
        await apply(from, source);
        for (const passwordHashes of [false, true]) {
          const text = await exported(from, { format, passwordHashes });
          assert.deepEqual(await diff(from, text), []);
          if (!passwordHashes) continue;
          await apply(to, '{}');
          await apply(to, text);
          assert.equal(await exported(to, { format, passwordHashes }), text);
        }
      });
      await fc.assert(property, { numRuns: 60, interruptAfterTimeLimit: 60_000 });
    });

    it('keeps the spaces and line breaks of a text, also of one that has nothing else', async () => {
      const texts = [' \n', ' \n \n', '\n', ' 1 Way\n  Town \n', '1 Way\nTown'];
      const users = texts.map((formatted, at) => ({ username: `user-${at}`, address: { formatted } }));
      await apply(from, JSON.stringify({ users }));
      assert.deepEqual(await diff(from, await exported(from)), []);
    });

    it('of a user names every field, so that applying it undoes a later change', async () => {
      await apply(from, JSON.stringify({ users: [{ username: 'alice', nickname: 'Al' }] }));
      const text = await exported(from);
      await from.provision({
        users: [{ username: 'alice', nickname: 'B', email: 'a@example.com', gender: 'f', disabled: true }],
      });
      assert.deepEqual(await diff(from, text), [
        '~ user alice: email "a@example.com" → unset, nickname "B" → "Al", gender "f" → unset, disabled true → false',
      ]);
    });

    it('reads users in pages, and gives the same text for the same content', async () => {
      const users = Array.from({ length: 1203 }, (_, index) => ({ username: `user-${(index * 7919) % 1203}` }));
      await apply(from, JSON.stringify({ users }));
      const text = await exported(from);
      const names = [...text.matchAll(/^ {2}- username: (.*)$/gm)].map(([, name]) => name);
      assert.deepEqual(names, users.map(({ username }) => username).sort());
      await apply(to, '{}');
      await apply(to, JSON.stringify({ users: users.toReversed() }));
      assert.equal(await exported(to), text);
    });

    it('has one application with --app, and no users with --no-users', async () => {
      const applications = [
        { code: 'blog', name: 'Blog' },
        { code: 'shop', name: 'Shop' },
      ];
      await apply(from, JSON.stringify({ applications, users: [{ username: 'alice' }] }));
      const body = async (over: Partial<ExportOptions>) => (await exported(from, over)).replace(/^#.*\n/gm, '');
      assert.equal(await body({ app: 'shop', users: false }), 'applications:\n  - code: shop\n    name: Shop\n');
      assert.equal(
        await body({ users: false, format: 'json' }),
        '{"applications": [\n{"code":"blog","name":"Blog"},\n{"code":"shop","name":"Shop"}]}\n',
      );
    });
  });
}

describe('random apply files', () => {
  it('have every field of applications and clients, or the round trips were about less', () => {
    const applications = fc.sample(anyFile, 300).flatMap(file => file.applications ?? []);
    const clients = applications.flatMap(each => each.clients ?? []);
    const missing = (all: readonly object[], fields: readonly string[]) =>
      fields.filter(name => all.every(one => (one as Record<string, unknown>)[name] === undefined));
    assert.deepEqual(missing(applications, Object.keys(applicationSchema.shape)), []);
    // No file that is exported has it: it is stored as a hash.
    assert.deepEqual(missing(clients, Object.keys(clientSchema.shape)), ['client_secret']);
  });
});

describe('an exported file', () => {
  let from: TestServer;
  let to: TestServer;
  before(async () => {
    [from, to] = await twoStores({}, {});
  });
  after(async () => {
    await from.close();
    await to.close();
  });

  it('has no secret, says at its head what is left out, and never makes a new secret for a client that has one', async () => {
    const client = { client_id: 'web', client_secret: 'a-secret-of-web' };
    const users = [{ username: 'alice', password: 'a password of alice' }];
    await apply(from, JSON.stringify({ applications: [{ code: 'shop', name: 'Shop', clients: [client] }], users }));
    const stored = async (server: TestServer) => (await server.services.store.findClient('shop', 'web'))?.secret_hash;
    const before = await stored(from);
    const text = await exported(from);
    assert.match(text, /^# .*\n# Left out: client secrets, passwords, second factors, signing keys/);
    for (const secret of ['a-secret-of-web', 'a password of alice', before ?? '', 'argon2'])
      assert(!text.includes(secret));
    await apply(from, text);
    assert.equal(await stored(from), before);
    const read = readApplyFiles([{ name: 'export', text }]);
    assert(read.kind === 'valid');
    const { differences, changes } = await planChanges(to.services, read.file);
    const [, made] = differences;
    assert.match(made?.generatedSecret ?? '', /^[\w-]{43}$/);
    await to.services.store.provision(changes);
    const { ring } = to.services;
    assert(ring.verifyClientSecret('shop', 'web', made?.generatedSecret ?? '', (await stored(to)) ?? ''));
  });

  it('of an empty store is an empty apply file, in both forms', async () => {
    await apply(from, '{}');
    for (const format of ['yaml', 'json'] as const) {
      const read = readApplyFiles([{ name: 'export', text: await exported(from, { format }) }]);
      assert.deepEqual(read, { kind: 'valid', file: { applications: [], users: [] } });
    }
  });
});
