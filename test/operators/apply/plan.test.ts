import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { usePlan } from './plan-fixture.ts';

describe('what apply changes', () => {
  const { server, clock, plan, apply, file } = usePlan();

  it('creates what is not there, and the second time nothing', async () => {
    const lines = await apply(file());
    assert.equal(lines[0], 'application shop: created');
    assert(lines.includes('client shop/web: created'));
    assert(lines.includes('client shop/spa: created'));
    assert(lines.includes('user alice: created'));
    clock.advance(1000);
    assert.deepEqual(await plan(file()), { changes: [], differences: [], faults: [], notes: [] });
  });

  it('generates a client_id that is found again, and a secret that is shown once', async () => {
    const own = { applications: [anApplication({ code: 'gen', clients: [{ client_name: 'Till' }] })] };
    const lines = await apply(own);
    const made = lines
      .map(line => /^client gen\/(\S+): client_secret (\S+) \(generated/.exec(line))
      .find(found => found);
    const [, clientId = '', secret = ''] = made ?? [];
    assert.match(clientId, /^gen-[0-9a-f]{12}$/);
    assert.equal(Buffer.from(secret, 'base64url').length, 32);
    const stored = await server.services.store.findClient('gen', clientId);
    assert(stored?.secret_hash);
    assert.equal(server.services.ring.verifyClientSecret('gen', clientId, secret, stored.secret_hash), true);
    assert.deepEqual(await apply(own), []);
  });

  it('gives a public client 10 seconds to repeat a refresh, and any other 30 (row 41)', async () => {
    await apply(file());
    const grace = async (client: string) =>
      (await server.services.store.findClient('shop', client))?.refresh_token_grace;
    assert.deepEqual([await grace('spa'), await grace('web')], [10, 30]);
  });

  it('gives a public client no secret', async () => {
    await apply(file());
    assert.equal((await server.services.store.findClient('shop', 'spa'))?.secret_hash, undefined);
  });

  it('takes a client that becomes public its secret away, and gives one that ceases to be public a new one', async () => {
    const as = (client: object) => ({
      applications: [anApplication({ code: 'swap', clients: [{ client_id: 'c', ...client }] })],
    });
    await apply(as({ client_secret: 'the-first-one' }));
    const [taken = ''] = await apply(as({ token_endpoint_auth_method: 'none' }));
    assert.match(taken, /token_endpoint_auth_method "client_secret_basic" → "none"/);
    assert.match(taken, /client_secret removed/);
    assert.equal((await server.services.store.findClient('swap', 'c'))?.secret_hash, undefined);
    const [given = '', shown = ''] = await apply(as({ token_endpoint_auth_method: null }));
    assert.match(given, /client_secret set/);
    assert.match(shown, /^client swap\/c: client_secret \S{43} \(generated, shown only now\)$/);
  });

  it('keeps the secret of a client whose file names none', async () => {
    const as = (client: object) => ({
      applications: [anApplication({ code: 'keep', clients: [{ client_id: 'c', ...client }] })],
    });
    await apply(as({ client_secret: 'the-first-one' }));
    const before = (await server.services.store.findClient('keep', 'c'))?.secret_hash;
    assert.deepEqual(await apply(as({ client_name: 'C' })), ['client keep/c: client_name "c" → "C"']);
    assert.equal((await server.services.store.findClient('keep', 'c'))?.secret_hash, before);
  });

  it('says of every field what it was and what it becomes, by the names of the file, and of a secret only that it changes', async () => {
    await apply(file());
    const lines = await apply(
      {
        applications: [
          anApplication({
            name: 'Store',
            clients: [
              aClient({
                client_secret: 'changed-secret-1',
                require_pkce: true,
                scope: 'openid email',
                redirect_uris: ['https://new.example/cb', 'https://client.example/cb'],
              }),
            ],
          }),
        ],
        users: [
          aUser({ nickname: 'Ally "the cat"', phone_number: null, picture: null, disabled: true, password: 'new one' }),
        ],
      },
      true,
    );
    assert.deepEqual(lines, [
      'application shop: name "Shop" → "Store"',
      'client shop/web: redirect_uris ["https://client.example/cb"] → ["https://new.example/cb","https://client.example/cb"], scope "openid profile email phone" → "openid email", require_pkce false → true, client_secret changed',
      'user alice: phone_number "+8613800000001" → unset, nickname "Al" → "Ally \\"the cat\\"", picture "https://example.com/a.png" → unset, disabled false → true, password changed',
    ]);
    await apply(file(), true);
  });

  it('leaves alone what the file does not name', async () => {
    await apply({ applications: [anApplication({ code: 'left', clients: [aClient(), aPublicClient()] })] });
    await apply({ applications: [{ code: 'left', name: 'Left' }] });
    assert(await server.services.store.findClient('left', 'spa'));
  });
});
