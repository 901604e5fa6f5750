import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PROGRAM, start } from '../../assembly/run.ts';
import { token } from '../../build/client.ts';
import { commandSettings, gatehouse, gatehouseReading } from '../../build/command.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

/** Of "corréct horse", by the libraries themselves (test/people/password/foreign-hashes.test.ts). */
const PASSWORD = 'corréct horse';
const BCRYPT = '$2b$04$4alcuZ5oyK96bSjo2X84w.tNAX8nXLB7PLKqQINOmrL4iO7biW0qq';
const DJANGO = 'pbkdf2_sha256$1000$saltsaltsalt$4/yat87bzj1sBa08Fi2yRQJU+2XnTP6O1yqsgpNCsng=';

describe('gatehouse import users (admin contract: command line)', () => {
  const folder = suitePart(temporaryFolder);
  const server = suitePart(() => startTestServer({ users: [] }));
  let files = 0;
  const file = (text: string | readonly object[]): string => {
    const path = folder.file(`users-${++files}`);
    writeFileSync(path, typeof text === 'string' ? text : text.map(each => JSON.stringify(each)).join('\n'));
    return path;
  };
  const run = (...args: string[]) => gatehouse(server, 'import', 'users', ...args);
  const find = (name: string) => server.services.store.findAccount(name);
  const logIn = (username: string) => token(server, { grant_type: 'password', username, password: PASSWORD });

  it('reads a file with more users than are kept in memory a second time', async () => {
    const path = file(Array.from({ length: 100_001 }, (_, n) => ({ username: `many-${n}` })));
    const { code, out, err } = await run(path);
    assert.equal(code, 0, err);
    assert.equal(out, '100001 users created, 0 changed, 0 exist already.\n');
    assert(await find('many-100000'));
  });

  it('CSV: quotes, line breaks in values, empty cells, flags; hashes of other systems sign in', async () => {
    const path = file(
      [
        '\uFEFFusername,email,email_verified,name,address,password_hash,disabled',
        `ann,ann@example.com,yes,"Ann ""A"", Example","1 Main Street`,
        `Paris",${BCRYPT},false`,
        `ben,,,,,${DJANGO},`,
        'cut,cut@example.com,0,,,,TRUE',
        '',
      ].join('\r\n'),
    );
    const { code, out, err } = await run(path);
    assert.equal(code, 0, err);
    assert.equal(out, '3 users created, 0 changed, 0 exist already.\n');
    const ann = await find('ann@example.com');
    assert.deepEqual(
      [ann?.emailVerified, ann?.standardClaims],
      [true, { name: 'Ann "A", Example', address: { formatted: '1 Main Street\nParis' } }],
    );
    assert.equal((await find('cut'))?.disabled, true);
    for (const name of ['ann', 'ben']) assert.equal((await logIn(name)).status, 200, name);
    assert.match((await find('ben'))?.passwordHash ?? '', /^\$argon2id\$/, 'upgraded at the login');
  });

  it('groups and roles: texts in a table, lists in JSON lines; --update changes them', async () => {
    const table = file('username,groups,roles\ngina,staff; sales,shop:admin;*:auditor;shop:reader\nhugo,,\n');
    assert.match((await run(table)).out, /^2 users created/);
    const gina = { groups: ['staff', 'sales'], roles: { shop: ['admin', 'reader'], '*': ['auditor'] } };
    assert.deepEqual((await find('gina'))?.membership, gina);
    assert.equal((await find('hugo'))?.membership, undefined);
    const changed = file([
      { username: 'gina', ...gina },
      { username: 'hugo', groups: ['staff'] },
    ]);
    assert.match((await run('--update', changed)).out, /^0 users created, 1 changed, 1 exist already/);
    assert.deepEqual((await find('hugo'))?.membership, { groups: ['staff'] });
    const { code, err } = await run(file('username,roles\nira,admin\n'));
    assert.notEqual(code, 0);
    assert.match(err, /roles: must be lists of roles by the code of the application/);
  });

  it('a second run changes nothing; --update changes what the file says, and no password', async () => {
    const users = [{ username: 'dora', nickname: 'D', password_hash: BCRYPT }, { username: 'emil' }];
    assert.match((await run(file(users))).out, /^2 users created/);
    const again = file([{ username: 'Dora', nickname: 'Other', password_hash: DJANGO }, { username: 'emil' }]);
    assert.match((await run(again)).out, /^0 users created, 0 changed, 2 exist already/);
    assert.match((await run('--update', again)).out, /^0 users created, 1 changed, 1 exist already/);
    const dora = await find('dora');
    assert.deepEqual([dora?.nickname, dora?.passwordHash], ['Other', BCRYPT]);
    assert.match((await run('--update', '--reset-passwords', again)).out, /1 changed/);
    assert.equal((await find('dora'))?.passwordHash, DJANGO);
  });

  it('--update does not disable the last owner (admin.md, Who may call)', async () => {
    await run(file([{ username: 'chief' }]));
    await gatehouse(server, 'operators', 'add', 'chief', '--role', 'owner');
    const { code, err } = await run('--update', file([{ username: 'chief', disabled: true }]));
    const fault = 'user chief: is the last owner and cannot be disabled; give another user the role owner first';
    assert.deepEqual([code, err], [65, `line 1: ${fault}\n`]);
    assert.equal((await find('chief'))?.disabled, false);
  });

  it('every fault with its line, and nothing is written; --skip-faulty writes the rest', async () => {
    await run(file([{ username: 'owner', email: 'owned@example.com' }]));
    const path = file(
      [
        'username,email,phone_number,password_hash',
        'fay,fay@example.com,,',
        'gus,no address,,md5',
        'hal,owned@example.com,,',
        'FAY,other@example.com,,',
        'ida,ida@example.com,,,,',
        'jon,,+44 7700 900999,',
      ].join('\n'),
    );
    const { code, out, err } = await run(path);
    assert.equal(code, 65);
    assert.match(out, /^4 lines are faulty\. Nothing was written\.$/m);
    for (const fault of [
      /^line 3: email: must be an e-mail address$/m,
      /^line 3: password_hash: must be a hash/m,
      /^line 4: "owned@example.com" is the login name of another user$/m,
      /^line 5: username: is in line 2 already$/m,
      /^line 6: has 6 values for 4 columns$/m,
    ])
      assert.match(err, fault);
    assert.equal(await find('fay'), undefined);
    const skipped = await run('--skip-faulty', '--json', path);
    assert.equal(skipped.code, 65);
    assert.deepEqual(JSON.parse(skipped.out), { written: true, created: 2, updated: 0, present: 0, faulty: 4 });
    assert(await find('fay'));
    assert(await find('+447700900999'));
  });

  it('a file that ends in a quote, or has a column __proto__, is faulty and does not lose it', async () => {
    const open = await run(file('username,name\nola,Ola\npia,"Pia\nqua,Qua\n'));
    assert.deepEqual([open.code, open.err], [65, 'line 3: has a quote that is not closed, or text after one\n']);
    const prototype = await run(file('username,__proto__\nola,x\n'));
    assert.deepEqual([prototype.code, prototype.err], [65, 'line 1: is not a header of column names\n']);
  });

  it('NUL, in either form, is a fault of its line: PostgreSQL stores none', async () => {
    const lines = await run(file('{"username":"n\\u0000ul"}\n'));
    assert.deepEqual([lines.code, lines.err], [65, 'line 1: has a character that cannot be stored\n']);
    const table = await run(file('username,name\nnoa,No\0a\n'));
    assert.deepEqual([table.code, table.err], [65, 'line 2: has a character that cannot be stored\n']);
  });

  it('unknown fields, plain passwords, bad JSON and bad ids are faults; a fault is printed 100 times at most', async () => {
    const { code, err } = await run(
      file(
        '{"username":"kim","colour":"red"}\n{"username":"kim2","password":"x"}\n{broken\n[]\n{"username":"k3","sub":"ü"}',
      ),
    );
    assert.equal(code, 65);
    for (const fault of [
      /^line 1: colour: there is no such field$/m,
      /^line 2: password: is not taken/m,
      /^line 3: is not JSON$/m,
      /^line 4: is not a JSON object$/m,
      /^line 5: sub: /m,
    ])
      assert.match(err, fault);
    const many = await run(file(Array.from({ length: 150 }, () => ({ email: 'x' }))));
    assert.equal(many.err.match(/^line/gm)?.length, 100);
    assert.match(many.err, /and \d+ more faults/);
  });

  it('keeps the sub of users, so that clients know them again', async () => {
    await run(file([{ sub: 'id-of-lea', username: 'lea' }]));
    assert.equal((await find('lea'))?.sub, 'id-of-lea');
    assert.match((await run(file([{ sub: 'id-of-lea', username: 'lea2' }]))).out, /1 exist already/);
    const taken = await run(file([{ sub: 'other', username: 'lea' }]));
    assert.match(taken.err, /^line 1: "lea" is the login name of another user/);
  });

  it('reads exports of Keycloak and Auth0', async () => {
    const [, , salt = '', tag = ''] = DJANGO.split('$');
    const keycloak = {
      id: '0b3a4b6e-1111',
      username: 'max',
      firstName: 'Max',
      lastName: 'Example',
      email: 'max@example.com',
      emailVerified: true,
      enabled: true,
      createdTimestamp: 1,
      attributes: { phoneNumber: ['+4930123456'], locale: ['de'], department: ['x'] },
      credentials: [
        {
          type: 'password',
          credentialData: '{"hashIterations":1000,"algorithm":"pbkdf2-sha256","additionalParameters":{}}',
          secretData: JSON.stringify({ value: tag, salt: btoa(salt) }),
        },
        { type: 'recovery-authn-codes' },
      ],
      realmRoles: ['x'],
    };
    const moved = await run('--from', 'keycloak', file([keycloak]));
    assert.equal(moved.code, 0, moved.err);
    const max = await find('+4930123456');
    assert.deepEqual([max?.sub, max?.emailVerified, max?.standardClaims?.given_name], ['0b3a4b6e-1111', true, 'Max']);
    assert.equal((await logIn('max')).status, 200);
    const auth0 = {
      _id: { $oid: '60425dc43519d90068f82973' },
      email: 'nora@example.com',
      email_verified: false,
      passwordHash: BCRYPT,
      tenant: 'x',
      connection: 'Username-Password-Authentication',
    };
    assert.equal((await run('--from', 'auth0', file([auth0]))).code, 0);
    assert.equal((await find('nora@example.com'))?.sub, 'auth0|60425dc43519d90068f82973');
    assert.equal((await logIn('nora@example.com')).status, 200);
  });

  it('refuses Argon2 of version 1.0 in an export of Keycloak: no password would be right', async () => {
    const additionalParameters = { type: ['id'], version: ['1.0'], memory: ['7168'], parallelism: ['1'] };
    const credentialData = JSON.stringify({ hashIterations: 5, algorithm: 'argon2', additionalParameters });
    const secretData = JSON.stringify({ value: btoa('v'.repeat(32)), salt: btoa('s'.repeat(16)) });
    const credentials = [{ type: 'password', credentialData, secretData }];
    const { code, err } = await run('--from', 'keycloak', file([{ id: 'x', username: 'old', credentials }]));
    assert.equal(code, 65);
    assert.match(err, /^line 1: password_hash: must be a hash by Argon2 \(\$argon2id\$v=19\$/);
  });

  it('--dry-run writes nothing; a file that is not there exits 66, wrong options 64', async () => {
    const { code, out } = await run('--dry-run', file([{ username: 'olga' }]));
    assert.deepEqual([code, out.startsWith('1 users would be created')], [0, true]);
    assert.equal(await find('olga'), undefined);
    assert.equal((await run(folder.file('nothing'))).code, 66);
    for (const wrong of [[], ['--colour', 'x'], ['--from', 'ldap', 'x'], ['--reset-passwords', 'x']])
      assert.equal((await run(...wrong)).code, 64);
  });

  it('after kill -9 a second run continues, from standard input too, without duplicates and without loss', async () => {
    const count = 32_000;
    const lines = Array.from({ length: count }, (_, n) => `bulk-${n},bulk-${n}@example.com,${BCRYPT}`);
    const text = ['username,email,password_hash', ...lines].join('\n');
    const importing = start(process.execPath, [PROGRAM, 'import', 'users', file(text)], commandSettings(server));
    await until('the first batch is written', async () => (await find('bulk-0')) !== undefined);
    await importing.stop('SIGKILL');
    assert.equal(await find(`bulk-${count - 1}`), undefined, 'it was killed before the end');
    const { code, out, err } = await gatehouseReading(server, text, 'import', 'users', '--json', '-');
    assert.equal(code, 0, err);
    const { created, present, faulty } = JSON.parse(out);
    assert.equal(created + present, count);
    assert(created > 0 && present > 0 && faulty === 0, out);
    let found = 0;
    for (let after: string | undefined; ; ) {
      const page = await server.services.store.listUsers({ search: 'bulk-', after, limit: 1000 });
      found += page.users.length;
      after = page.next;
      if (after === undefined) break;
    }
    assert.equal(found, count);
  });
});
