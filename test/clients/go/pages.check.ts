import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../assembly/run.ts';
import { basic, post } from '../../build/client.ts';
import { suitePart } from '../../build/suite-part.ts';
import { ROOT } from '../../packaging/outside.ts';
import { openPage, type PageSetting } from '../pages/page.ts';
import { type Program, startProgram } from '../pages/program.ts';
import { logInAt, webAppOf } from '../pages/web-app.ts';

const FOLDER = join(ROOT, '.cache/clients/');

/** The only block in Go of a page, built with the modules that go.mod beside this file pins. */
async function startGo({ block, port }: PageSetting): Promise<Program> {
  mkdirSync(FOLDER, { recursive: true });
  const folder = mkdtempSync(FOLDER);
  try {
    for (const file of ['go.mod', 'go.sum']) cpSync(new URL(file, import.meta.url), join(folder, file));
    // The client of a page listens where its redirect URI is.
    writeFileSync(join(folder, 'main.go'), block('go'));
    const { PATH = '', HOME = '' } = process.env;
    const built = await run('go', ['build', '-mod=readonly', '-o', 'program', '.'], { PATH, HOME }, folder);
    assert.equal(built.code, 0, built.err);
    const program = await startProgram({ command: join(folder, 'program'), args: [], files: {} }, port);
    return {
      ...program,
      async close() {
        await program.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

describe('docs/clients/go-oidc.md', () => {
  const app = webAppOf('go-oidc', startGo);

  it('logs alice in', async () => {
    const { seen } = await logInAt(app, '/login');
    assert.equal(JSON.parse(seen.text).name, 'Alice Example');
  });
});

describe('docs/clients/go-api.md', () => {
  const setting = suitePart(() => openPage('go-api'));
  const program = suitePart(() => startGo(setting));

  const issuer = () => setting.server.at();
  const auth = basic('shop-go-caller', 'replace-this-secret-too');
  const tokenOf = async (form: Record<string, string> = {}, sender = auth) => {
    const { json } = await post(`${issuer()}/token`, { grant_type: 'client_credentials', ...form }, { auth: sender });
    return json.access_token as string;
  };
  const call = (authorization?: string) =>
    fetch(`${setting.origin}/carts`, { headers: authorization === undefined ? {} : { authorization } });

  it('answers a token of the API with its scope', async () => {
    const answered = await call(`Bearer ${await tokenOf()}`);
    assert.equal(answered.status, 200, program.printed());
    assert.deepEqual(await answered.json(), { sub: 'shop-go-caller', client: 'shop-go-caller', carts: [] });
  });

  it('refuses everything else', async () => {
    const refusals = [undefined, 'Basic eA==', 'Bearer ', 'Bearer nothing'];
    for (const each of refusals) assert.equal((await call(each)).status, 401, each ?? 'no token');
    assert.match((await call('Bearer nothing')).headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    const token = await tokenOf();
    assert.equal((await post(`${issuer()}/revoke`, { token }, { auth })).status, 200);
    assert.equal((await call(`Bearer ${token}`)).status, 401, 'a revoked token');
  });

  it('refuses a token for another API, and one without the scope', async () => {
    await setting.server.provision({
      applications: [
        {
          code: 'shop',
          name: 'Shop',
          apis: [
            {
              identifier: 'https://go.shop.example',
              name: 'Go',
              scopes: { 'carts:read': 'Read', 'carts:write': 'Write' },
            },
            { identifier: 'https://other.shop.example', name: 'Other', scopes: { other: 'Other' } },
          ],
          clients: [
            {
              client_id: 'others',
              client_secret: 'replace-this-secret-too',
              grant_types: ['client_credentials'],
              scope: 'carts:write other',
            },
          ],
        },
      ],
    });
    const others = basic('others', 'replace-this-secret-too');
    const elsewhere = await tokenOf({ resource: 'https://other.shop.example' }, others);
    assert.equal((await call(`Bearer ${elsewhere}`)).status, 401);
    const without = await call(`Bearer ${await tokenOf({ resource: 'https://go.shop.example' }, others)}`);
    assert.equal(without.status, 403);
    assert.match(without.headers.get('www-authenticate') ?? '', /insufficient_scope.*carts:read/);
  });
});
