import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { freePort } from '../../../scripts/free-port.ts';
import { releaseVersion } from '../../../src/platform/release.ts';
import { get } from '../../build/client.ts';
import { gatehouse, runCommand } from '../../build/command.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { listen } from '../../build/listen.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

const folder = suitePart(temporaryFolder);
let files = 0;
const file = (text: string) => {
  const path = folder.file(`file-${++files}.yaml`);
  writeFileSync(path, text);
  return path;
};

describe('the command line on a running server (running.md: GATEHOUSE_SERVER, GATEHOUSE_API_KEY)', () => {
  const server = suiteServer({
    applications: [anApplication(), anApplication({ code: 'bank' })],
    users: [aUser(), aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' })],
  });
  const owner = suitePart(() => anOperatorClient(server));

  const at = (key: string, ...args: string[]) =>
    runCommand(args, { GATEHOUSE_SERVER: server.base, GATEHOUSE_API_KEY: key });
  const remote = (...args: string[]) => at(owner.key, ...args);
  const json = async (...args: string[]) => {
    const { code, out, err } = await remote(...args, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };

  it('lists, creates, changes and deletes as on the database, and prints the same', async () => {
    for (const args of [
      ['applications', 'list'],
      ['users', 'list', '--json'],
      ['keys', 'list', '--app', 'shop', '--json'],
      ['sessions', 'list', '--user', 'alice'],
    ]) {
      assert.deepEqual(await remote(...args), await gatehouse(server, ...args), args.join(' '));
    }
    const made = await json('clients', 'create', '--app', 'shop', '--client-name', 'Kiosk', '--preset', 'machine');
    assert.equal(typeof made.client_secret, 'string');
    const changed = await json(
      'clients',
      'update',
      '--app',
      'shop',
      '--client',
      made.client_id,
      '--client-name',
      'Till',
    );
    assert.equal(changed.client_name, 'Till');
    assert.equal((await remote('clients', 'delete', '--app', 'shop', '--client', made.client_id)).out, 'Done.\n');
    const gone = await remote('clients', 'get', '--app', 'shop', '--client', made.client_id);
    assert.deepEqual([gone.code, gone.err], [65, `there is no such client: shop/${made.client_id}\n`]);
  });

  it('a list is printed as a whole, page by page', async () => {
    for (let n = 0; n < 55; n++) await owner.ask('POST', '/users', { username: `many-${n}` });
    const { items, next } = await json('users', 'list');
    assert.deepEqual([items.length, next], [57, null]);
  });

  it('a backup that something else makes is recorded (backup --made, --elsewhere)', async () => {
    assert.deepEqual(await remote('backup', '--made'), { code: 0, out: 'Recorded: a backup was made.\n', err: '' });
    assert.equal((await json('status')).last_backup.kind, 'made');
    const bank = await anOperatorClient(server, { applications: ['bank'] });
    const limited = await at(bank.key, 'backup', '--elsewhere');
    assert.equal(limited.code, 77, limited.err);
    assert.equal((await json('status')).last_backup.kind, 'made');
  });

  it('events, explain and status answer as on the database', async () => {
    const refused = await get(`${server.at()}/authorize?client_id=nobody`);
    const id = refused.headers.get('x-request-id') ?? '';
    await server.services.refusals.flush();
    const explained = await remote('explain', id);
    assert.equal(explained.code, 0, explained.err);
    assert.deepEqual(explained, await gatehouse(server, 'explain', id));
    const unknown = await remote('explain', 'nothing-1');
    assert.equal(unknown.code, 65);
    assert.match(unknown.err, new RegExp(`another server than ${server.base}`));
    const { code, out } = await remote('events', 'list', '--user', 'many-3', '--type', 'user.created');
    assert.equal(code, 0);
    assert.match(out, /^\S+ user\.created +success actor=api_key:\S+ subject=\S+ address=127\.0\.0\.1\n$/);
    assert.equal((await json('status')).database.kind, server.services.config.database.kind);
  });

  describe('apply, diff and export', () => {
    const TILL = `
applications:
  - code: till
    name: Till
    clients:
      - client_id: till-web
        redirect_uris: [https://till.example/callback]
users:
  - username: carol
    password: correct horse battery staple
    email: carol@example.com
`;

    it('diff and --dry-run say what would change, apply does it and prints the secret once', async () => {
      const path = file(TILL);
      const diff = await remote('diff', path);
      assert.deepEqual(diff, { code: 1, out: '+ application till\n+ client till/till-web\n+ user carol\n', err: '' });
      const dry = await remote('apply', '--dry-run', path);
      assert.equal(dry.out, 'application till: created\nclient till/till-web: created\nuser carol: created\n');
      assert.equal(await server.services.store.findAccount('carol'), undefined);
      const applied = await remote('apply', path);
      assert.equal(applied.code, 0, applied.err);
      assert.match(applied.out, /^client till\/till-web: client_secret [\w-]{43} \(generated, shown only now\)$/m);
      assert.deepEqual(await remote('apply', path), { code: 0, out: 'Nothing to change.\n', err: '' });
      const changed = file(TILL.replace('name: Till', 'name: Tills').replace('carol@', 'caro@'));
      const local = await gatehouse(server, 'diff', changed);
      assert.equal(local.code, 1);
      assert.deepEqual(await remote('diff', changed), local);
      const events = await owner.ask('GET', '/events?type=configuration.applied');
      assert.equal(events.json.items[0].actor.kind, 'api_key');
    });

    it('export writes the file that the local command writes, links and providers too, and diff calls it equal', async () => {
      const linked = {
        providers: [{ id: 'corp', type: 'oidc', issuer: 'https://login.corp.example', client_id: 'gatehouse' }],
        applications: [{ code: 'shop', providers: ['corp'] }],
        users: [{ username: 'bob', links: [{ provider: 'corp', subject: '1' }] }],
      };
      const applied = await owner.ask('POST', '/apply', { file: linked });
      assert.equal(applied.status, 200, applied.text);
      const exported = await remote('export');
      assert.match(exported.out, /^ {4}links:\n {6}- provider: corp$/m);
      for (const options of [[], ['--json'], ['--no-users'], ['--app', 'shop']]) {
        assert.deepEqual(await remote('export', ...options), await gatehouse(server, 'export', ...options));
      }
      assert.deepEqual(await remote('diff', file(exported.out)), { code: 0, out: 'Nothing to change.\n', err: '' });
      const secrets = await remote('export', '--credentials');
      assert.deepEqual([secrets.code, secrets.out], [64, '']);
    });

    it('a fault has the place in the file, whether the command line or the store finds it', async () => {
      const wrong = await remote('apply', file(TILL.replace('redirect_uris', 'redirect_uri')));
      assert.deepEqual([wrong.code, wrong.out], [65, '']);
      assert.match(
        wrong.err,
        /^applications\[0\]\.clients\[0\]\.redirect_uri: there is no such setting \(.*line 7\)\n$/,
      );
      const taken = await remote('apply', file('users: [{username: dora, email: BOB@example.com}]'));
      assert.deepEqual(taken, {
        code: 65,
        out: '',
        err: 'users[0].email: belongs to another user already (user dora, line 1)\n',
      });
    });

    it('removals need a yes, of what the operator has seen', async () => {
      const empty = file('applications: [{code: till, clients: []}]');
      const refused = await remote('apply', empty);
      assert.deepEqual([refused.code, refused.out], [77, '']);
      assert.match(refused.err, /^- client till\/till-web\n1 removal: nothing was changed\. Confirm with --yes\n$/);
      const api = await owner.ask('POST', '/apply', { file: { applications: [{ code: 'till', clients: [] }] } });
      assert.equal(api.status, 409, api.text);
      assert.equal((await remote('apply', '--yes', empty)).out, 'client till/till-web: deleted\n');
    });

    it('a repeated request gets the answer of the first one, with the secret that it made', async () => {
      const body = { file: { applications: [{ code: 'till', clients: [{ client_id: 'again' }] }] } };
      const first = await owner.ask('POST', '/apply', body, { 'idempotency-key': 'apply-1' });
      assert.equal(first.status, 200, first.text);
      assert.match(first.json.changes[0].client_secret, /^[\w-]{43}$/);
      const second = await owner.ask('POST', '/apply', body, { 'idempotency-key': 'apply-1' });
      assert.deepEqual(second.json, first.json);
    });

    it('takes a file of several thousand entries, from a caller who may send one', async () => {
      const users = Array.from({ length: 3000 }, (_, n) => ({ username: `apply-${n}`, nickname: `Name of ${n}` }));
      const path = file(JSON.stringify({ users }));
      assert.equal((await remote('apply', path)).out.split('\n').length, 3001);
      const body = JSON.stringify({ file: { users } });
      assert.equal((await owner.ask('POST', '/users', body)).status, 413, 'no other operation takes as much');
      const nobody = await fetch(`${server.base}/api/v1/admin/apply`, { method: 'POST', body });
      assert.equal(nobody.status, 401);
    });
  });

  describe('import', () => {
    const users = (count: number, from = 0) =>
      Array.from({ length: count }, (_, n) => JSON.stringify({ username: `moved-${from + n}` })).join('\n');

    it('checks the whole file and writes it in parts; a second run finds all of them', async () => {
      const path = file(users(1201));
      const dry = await remote('import', 'users', '--dry-run', path);
      assert.equal(dry.out, '1201 users would be created, 0 changed, 0 exist already. Nothing was written.\n', dry.err);
      assert.equal((await remote('import', 'users', path)).out, '1201 users created, 0 changed, 0 exist already.\n');
      assert.equal((await remote('import', 'users', path)).out, '0 users created, 0 changed, 1201 exist already.\n');
      const { json: events } = await owner.ask('GET', '/events?type=configuration.applied&limit=1');
      assert.deepEqual(events.items[0].details, { command: 'import users', created: 201, updated: 0 });
      assert.equal(events.items[0].actor.kind, 'api_key');
    });

    it('a fault of the file or of the store has its line, and nothing is written', async () => {
      const path = file(
        `${users(1, 5000)}\n{"username":"moved-5000"}\n{"username":"x","email":"BOB@example.com"}\n{"user":1}`,
      );
      const { code, out, err } = await remote('import', 'users', path);
      assert.equal(code, 65);
      assert.deepEqual(await gatehouse(server, 'import', 'users', path), { code, out, err });
      assert.match(err, /^line 2: username: is in line 1 already$/m);
      assert.match(err, /^line 3: "bob@example.com" is the login name of another user$/m);
      assert.match(err, /^line 4: user: there is no such field$/m);
      assert.equal(await server.services.store.findAccount('moved-5000'), undefined);
    });

    it('CSV is read as on the database, second factors included; --update is for owners', async () => {
      const path = file(
        'username,email_verified,totp_secret,groups\nmona,yes,GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ,staff;sales\n',
      );
      assert.equal((await remote('import', 'users', path)).code, 0);
      const mona = await server.services.store.findAccount('mona');
      assert.deepEqual([mona?.emailVerified, mona?.membership], [true, { groups: ['staff', 'sales'] }]);
      assert.equal(typeof mona?.totp, 'string');
      const { key } = await anOperatorClient(server, { role: 'operator' });
      const refused = await at(key, 'import', 'users', '--update', path);
      assert.deepEqual([refused.code, refused.err], [65, 'only an owner changes users by an import\n']);
      const limited = await anOperatorClient(server, { role: 'operator', applications: ['shop'] });
      assert.equal(
        (await at(limited.key, 'import', 'users', path)).err,
        'users need an API key for all applications\n',
      );
    });
  });

  describe('and the rights of its key', () => {
    it('a key that is limited to applications applies, compares and exports those alone', async () => {
      const { key } = await anOperatorClient(server, { role: 'operator', applications: ['shop'] });
      const own = await at(key, 'apply', file('applications: [{code: shop, name: Shop 2}]'));
      assert.match(own.out, /^application shop: name .* → "Shop 2"\n$/, own.err);
      for (const [text, place] of [
        ['applications: [{code: bank, name: Bank 2}]', 'applications[0].code: there is no such application'],
        ['applications: [{code: fresh, name: Fresh}]', 'applications[0].code: there is no such application'],
        ['users: [{username: alice, nickname: Al}]', 'users: users need a role for all applications'],
      ] as const) {
        for (const command of ['apply', 'diff']) {
          const { code, out, err } = await at(key, command, file(text));
          assert.deepEqual([code, out], [65, ''], text);
          assert(err.startsWith(place), err);
        }
      }
      const pruned = await at(key, 'apply', '--prune', file('applications: [{code: shop}]'));
      assert.deepEqual([pruned.code, pruned.err], [65, 'pruning needs a role for all applications\n']);
      const exported = await at(key, 'export', '--no-users');
      assert.match(exported.out, /code: shop/);
      assert.doesNotMatch(exported.out, /code: (bank|till)|issuer:/);
      const everything = await at(key, 'export');
      assert.equal(everything.code, 77);
      assert.doesNotMatch(everything.out, /code:/);
    });

    it('an auditor compares no secrets: the answer to a right guess is that to a wrong one, and says so', async () => {
      const corp = { id: 'corp', type: 'oidc', issuer: 'https://login.corp.example', client_id: 'gatehouse' };
      const guessing = (client_secret: string, password: string) => ({
        providers: [{ ...corp, client_secret }],
        applications: [{ code: 'shop', clients: [{ client_id: 'web', client_secret }] }],
        users: [{ username: 'bob', password }],
      });
      const right = guessing('a secret of the client', 'correct horse battery staple');
      const options = { reset_passwords: true };
      const applied = await owner.ask('POST', '/apply', { file: right, ...options });
      assert.equal(applied.status, 200, applied.text);
      const auditor = await anOperatorClient(server, { role: 'auditor' });
      const wrong = guessing('another secret', 'another horse battery staple');
      for (const guess of [right, wrong]) {
        const { json } = await auditor.ask('POST', '/diff', { file: guess, ...options });
        assert.deepEqual(json.changes, []);
        assert.match(json.notes[0], /^Secrets and passwords in the file were not compared:/);
      }
      const known = await owner.ask('POST', '/diff', { file: wrong, ...options });
      assert.equal(known.json.changes.length, 3);
      const without = await auditor.ask('POST', '/diff', { file: { applications: [{ code: 'shop', name: 'Other' }] } });
      assert.deepEqual([without.json.changes.length, without.json.notes], [1, []]);
    });

    it('an auditor compares and applies nothing; nobody below changes an owner', async () => {
      const auditor = await anOperatorClient(server, { role: 'auditor' });
      const path = file('users: [{username: alice, nickname: Ali}]');
      assert.equal((await at(auditor.key, 'diff', path)).code, 1);
      const refused = await at(auditor.key, 'apply', path);
      assert.deepEqual([refused.code, refused.out], [77, '']);
      assert.match(refused.err, /the role of this API key is too low \(403\): This needs the role operator\./);
      await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
      const operator = await anOperatorClient(server, { role: 'operator' });
      const { code, err } = await at(operator.key, 'apply', '--reset-passwords', path);
      assert.deepEqual(
        [code, err],
        [65, 'user alice: has the role owner, and only a caller with it may change the user\n'],
      );
    });
  });
});

const FREE_PORT = await freePort();

describe('the command line where the server does not do what it should', () => {
  let answer: (count: number) => { status: number; body?: unknown; lost?: boolean };
  let seen: { method: string | undefined; key: unknown }[];
  const other = suitePart(() =>
    listen((request, response) => {
      seen.push({ method: request.method, key: request.headers['idempotency-key'] });
      const { status, body, lost } = answer(seen.length);
      if (lost) return void request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '0' });
      response.end(JSON.stringify(body));
    }),
  );
  const KEY = 'gak_secret-of-this-test';
  const run = (args: string[], env: Record<string, string> = {}) => {
    seen = [];
    return runCommand(args, { GATEHOUSE_SERVER: other.origin, GATEHOUSE_API_KEY: KEY, ...env });
  };
  const problem = (status: number, detail: string) => ({ type: 'x', title: 'x', status, detail, request_id: 'r-1' });
  const LIST = ['users', 'list'];
  const CREATE = ['users', 'create', '--username', 'al'];

  for (const [what, env, code, text] of [
    ['a key alone', { GATEHOUSE_SERVER: undefined }, 78, /^GATEHOUSE_SERVER: is needed/],
    ['a server alone', { GATEHOUSE_API_KEY: undefined }, 78, /^GATEHOUSE_API_KEY: is needed/],
    ['plain http', { GATEHOUSE_SERVER: 'http://id.example' }, 78, /^GATEHOUSE_SERVER: must be https/],
    ['a path', { GATEHOUSE_SERVER: 'https://id.example/x' }, 78, /^GATEHOUSE_SERVER: must be the address/],
    ['nobody there', { GATEHOUSE_SERVER: `http://127.0.0.1:${FREE_PORT}` }, 69, /nothing accepts connections there/],
    ['an unknown host', { GATEHOUSE_SERVER: 'https://id.invalid' }, 69, /there is no host of this name/],
  ] as const) {
    it(`${what}: a sentence, and exit code ${code}`, async () => {
      const given = Object.entries({ GATEHOUSE_SERVER: other.origin, GATEHOUSE_API_KEY: KEY, ...env });
      const ran = await runCommand(LIST, Object.fromEntries(given.filter(([, value]) => value !== undefined)) as never);
      assert.deepEqual([ran.code, ran.out], [code, '']);
      assert.match(ran.err, text);
    });
  }

  it('an unknown key, and an answer of something else', async () => {
    answer = () => ({ status: 401, body: problem(401, 'The API key is unknown.') });
    const unknown = await run(LIST);
    assert.deepEqual([unknown.code, unknown.out], [77, '']);
    assert.match(unknown.err, /does not accept this API key \(401\): The API key is unknown\.\n$/);
    answer = () => ({ status: 404, body: 'nginx' });
    assert.match((await run(LIST)).err, /answered with 404, and not as a Gatehouse server does/);
    answer = () => ({ status: 302 });
    assert.match((await run(LIST)).err, /redirects to another address, which the key is not sent to/);
  });

  it('a server of another release', async () => {
    answer = count =>
      count === 1
        ? { status: 404, body: problem(404, 'There is nothing at this address.') }
        : { status: 200, body: { role: 'owner', version: '0.0.1' } };
    const { code, err } = await run(LIST);
    assert.equal(code, 65);
    assert(err.endsWith(`is release 0.0.1, this command line is ${releaseVersion()}\n`), err);
  });

  it('repeats what was lost with the same Idempotency-Key, and gives up after four attempts', async () => {
    answer = count => (count < 3 ? { status: 0, lost: true } : { status: 201, body: { sub: 's', username: 'al' } });
    const made = await run(CREATE);
    assert.equal(made.code, 0, made.err);
    assert.equal(new Set(seen.map(({ key }) => key)).size, 1);
    assert.equal(typeof seen[0]?.key, 'string');
    answer = () => ({ status: 0, lost: true });
    const lost = await run(CREATE);
    assert.deepEqual([lost.code, seen.length], [69, 4]);
    answer = count => (count === 1 ? { status: 503 } : { status: 200, body: { items: [], next: null } });
    assert.equal((await run(LIST)).out, 'None.\n');
    answer = count =>
      count === 1 ? { status: 0, lost: true } : { status: 404, body: problem(404, 'There is no such user.') };
    assert.equal((await run(['users', 'delete', 'sub'])).out, 'Done.\n', 'the lost attempt has deleted it');
  });

  it('the key is in no output, also where it is an option, which earns a warning', async () => {
    answer = () => ({ status: 401, body: problem(401, 'No.') });
    const ran = await runCommand(['--server', other.origin, '--api-key', KEY, ...LIST]);
    assert.equal(ran.code, 77);
    assert.match(ran.err, /^--api-key shows the key in the list of processes/);
    assert(!(ran.out + ran.err).includes(KEY));
  });

  it('what needs the database says so in one sentence, and calls nobody', async () => {
    for (const args of [
      ['migrate'],
      ['serve'],
      ['check-config'],
      ['backup', 'x'],
      ['copy', '--to', 'x'],
      ['events', 'verify'],
      ['keys', 'rotate', '--app', 'shop', '--compromised'],
      ['keys', 'forget-totp', '--lost-secret'],
    ]) {
      const ran = await run(args);
      assert.deepEqual([ran.code, ran.out], [64, ''], args.join(' '));
      assert.match(ran.err, /^"gatehouse [\w -]+" works on the database itself, not over the admin API: .*\n$/);
      assert.deepEqual(seen, []);
    }
  });
});
