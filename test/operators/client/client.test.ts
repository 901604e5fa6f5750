import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { tsOf, writeAdminClient } from '../../../scripts/admin-client.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const PROGRAM = `
import { adminClient, AdminApiError, etagOf, everyItem } from 'gatehouse/admin';

const client = adminClient({ server: process.env.SERVER ?? '', apiKey: process.env.KEY ?? '' });
const made = await client.createUser({ body: { username: 'mia', nickname: 'Mia' } });
const tag = etagOf(made) ?? '';
const changed = await client.updateUser({ sub: made.sub, body: { nickname: 'M' }, ifMatch: tag });
const names: string[] = [];
for await (const user of everyItem(client.listUsers, { limit: 1 })) names.push(user.username);
let status = 0;
try {
  await client.updateUser({ sub: made.sub, body: { nickname: 'X' }, ifMatch: tag });
} catch (error) {
  if (error instanceof AdminApiError) status = error.status;
}
await client.deleteUser({ sub: made.sub });
console.log(JSON.stringify({ username: changed.username, names, status }));
`;

/** Each line is a mistake that the types find. */
const MISTAKES = `
import { adminClient } from 'gatehouse/admin';
const client = adminClient({ server: '', apiKey: '' });
client.createUsers({ body: {} });
client.deleteUser();
client.getUser({ id: 'x' });
client.createApiKey({ body: { name: 'x', role: 'king' } });
`;

describe('gatehouse/admin, the client of the admin API', () => {
  const server = suiteServer();
  const folder = suitePart(temporaryFolder);
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    const dist = folder.file('node_modules/gatehouse/dist/admin');
    mkdirSync(dist, { recursive: true });
    await writeAdminClient(dist);
    // As the package says it.
    cpSync(new URL('../../../package.json', import.meta.url), folder.file('node_modules/gatehouse/package.json'));
    writeFileSync(folder.file('package.json'), '{"type":"module"}');
  });

  const check = (name: string, text: string) => {
    writeFileSync(folder.file(name), text);
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext', '--skipLibCheck', 'false'];
    const roots = ['--typeRoots', join(process.cwd(), 'node_modules/@types'), '--types', 'node', '--ignoreConfig'];
    try {
      execFileSync(process.execPath, [TSC, ...options, ...roots, name], { cwd: folder.file('.'), encoding: 'utf8' });
      return [];
    } catch (error) {
      return (error as { stdout: string }).stdout.split('\n').filter(line => /error TS/.test(line));
    }
  };

  it('types a program as it is written, and finds its mistakes', () => {
    assert.deepEqual(check('program.mts', PROGRAM), []);
    const lines = check('mistakes.mts', MISTAKES).map(line => line.split('(')[1]?.split(',')[0]);
    assert.deepEqual(lines, ['4', '5', '6', '7']);
  });

  it('calls a server: objects with their ETags, lists as a whole, refusals as errors', async () => {
    writeFileSync(folder.file('run.mts'), PROGRAM);
    const env = { SERVER: server.base, KEY: owner.key };
    const { stdout } = await promisify(execFile)(process.execPath, [folder.file('run.mts')], { env });
    assert.deepEqual(JSON.parse(stdout), { username: 'mia', names: ['alice', 'mia'], status: 412 });
  });

  it('has a function for every operation, and depends on nothing', async () => {
    const { adminClient } = await import(pathToFileURL(folder.file('node_modules/gatehouse/dist/admin/admin.js')).href);
    const client = adminClient({ server: server.base, apiKey: owner.key });
    const ids = server.services.tables.operations.addresses.map(({ id }) => id);
    assert.deepEqual(Object.keys(client).sort(), [...ids].sort());
    for (const name of ['admin', 'client', 'connection']) {
      const text = readFileSync(folder.file(`node_modules/gatehouse/dist/admin/${name}.js`), 'utf8');
      for (const [, from = ''] of text.matchAll(/ from '([^']+)'/g)) assert.match(from, /^(\.\/|node:)/);
    }
  });

  it('says of a schema what its values are', () => {
    assert.equal(tsOf({ type: 'array', items: { enum: ['a', 'b'] } }, ''), 'readonly ("a" | "b")[]');
    assert.equal(tsOf({ type: ['string', 'null'] }, ''), 'string | null');
    assert.equal(
      tsOf({ type: 'object', additionalProperties: { type: 'number' } }, ''),
      '{ readonly [name: string]: number }',
    );
    assert.equal(tsOf({}, ''), 'unknown');
  });
});
