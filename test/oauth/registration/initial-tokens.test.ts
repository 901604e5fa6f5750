import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../build/client.ts';
import { gatehouse } from '../../build/command.ts';
import { eventsOf } from '../../build/events.ts';
import { anApplication, CALLBACK } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

/** The tokens with which programs register clients (RFC 7591 section 1.2). */
describe('gatehouse clients: initial access tokens (admin contract: command line)', () => {
  const server = suiteServer({
    applications: [
      anApplication({ dynamic_registration: 'token' }),
      anApplication({ code: 'blog', dynamic_registration: 'token' }),
    ],
  });

  const clients = (verb: string, ...args: string[]) => gatehouse(server, 'clients', verb, ...args);
  async function registers(token: string, app?: string): Promise<boolean> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const body = JSON.stringify({ redirect_uris: [CALLBACK] });
    const { status, text } = await send(`${server.at(app)}/register`, { method: 'POST', headers, body });
    assert([201, 401].includes(status), text);
    return status === 201;
  }

  it('new-initial-token shows a token once that registers clients, until delete-initial-token', async () => {
    const made = await clients('new-initial-token', '--app', 'shop', '--name', 'partner', '--json');
    assert.equal(made.code, 0, made.err);
    const { id, name, expires_at, initial_access_token: token } = JSON.parse(made.out);
    assert.match(id, /^iat_[0-9a-f]{24}$/);
    assert.deepEqual([name, expires_at], ['partner', undefined]);
    assert(await registers(token));
    assert(!(await registers(token, 'blog')), 'it is of one application');

    const listed = await clients('initial-tokens', '--app', 'shop');
    assert.equal(listed.code, 0, listed.err);
    assert.match(listed.out, new RegExp(`^${id} +partner `, 'm'));
    assert(!listed.out.includes(token));

    const deleted = await clients('delete-initial-token', '--app', 'shop', id);
    assert.deepEqual([deleted.code, deleted.out], [0, 'Done.\n'], deleted.err);
    assert(!(await registers(token)));
    assert.equal((await clients('initial-tokens', '--app', 'shop')).out, 'None.\n');
    const again = await clients('delete-initial-token', '--app', 'shop', id);
    assert.equal(again.code, 65);
    assert.match(again.err, /no such initial access token/);

    const events = await eventsOf(server, { types: ['initial_access_token.created', 'initial_access_token.deleted'] });
    assert.deepEqual(
      events.map(({ type, actor, subject }) => [type, actor.kind, subject]),
      [
        ['initial_access_token.created', 'system', id],
        ['initial_access_token.deleted', 'system', id],
      ],
    );
  });

  it('--expires-at is printed with the token, and has to be in the future', async () => {
    const until = '2099-01-01T00:00:00Z';
    const made = await clients('new-initial-token', '--app', 'blog', '--name', 'for now', '--expires-at', until);
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /^expires_at +2099-01-01T00:00:00Z$/m);
    const token = /^initial_access_token +(\S+)$/m.exec(made.out)?.[1] ?? '';
    assert(await registers(token, 'blog'));
    const past = ['--app', 'blog', '--name', 'late', '--expires-at', '2020-01-01T00:00:00Z'];
    const refused = await clients('new-initial-token', ...past);
    assert.equal(refused.code, 65);
    assert.match(refused.err, /^--expires-at: must be in the future$/m);
  });
});
