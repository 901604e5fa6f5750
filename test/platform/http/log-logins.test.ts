import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, token, WEB } from '../../build/client.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';
import { ADDRESS, FROM, HUSH, useLog } from './log-fixture.ts';

describe('the log names the client, user and address of each refusal and each login (issue 10, E.4)', () => {
  const logging = useLog();
  const { lines, only, assertQuietAbout, sending, skipLogged } = logging;

  describe('a login', () => {
    const login = { request: 'id', app: 'shop', client: 'web', address: ADDRESS };
    const submit = async (username: string, password: string) => {
      const { server } = logging;
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server));
      const form = formWith(page, 'password');
      const body = new URLSearchParams(form.fields);
      body.set('username', username);
      body.set('password', password);
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base, ...FROM };
      return visitor.go(form.action, { method: 'POST', body: body.toString(), headers });
    };

    it('that succeeds is a line', async () => {
      const { sub } = logging;
      const seen = await submit(' Alice@Example.com', PASSWORD);
      assert.deepEqual(only(seen), { event: 'login.succeeded', ...login, sub });
      assertQuietAbout(PASSWORD, 'xample.com');
    });

    it('that succeeds for the account page names no client', async () => {
      const { server, sub } = logging;
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(`${server.base}/account`);
      await visitor.send(formWith(page, 'password'), ALICE, FROM);
      const [line] = lines();
      assert.deepEqual([line?.event, line?.client, line?.sub], ['login.succeeded', undefined, sub]);
    });

    it('by the password grant is one too', async () => {
      const { server, sub } = logging;
      const answered = await token(server, { grant_type: 'password', ...ALICE }, sending(WEB));
      assert.deepEqual(only(answered), { event: 'login.succeeded', ...login, sub });
    });

    it('with a session that is there already is none', async () => {
      const { server } = logging;
      const visitor = new Visitor(server.base);
      await signIn(server, {}, { visitor });
      skipLogged();
      assert.match((await visitor.go(authorizationUrl(server))).location ?? '', /[?&]code=/);
      assert.deepEqual(lines(), []);
    });

    it('with a wrong password names the user, not the name that was typed', async () => {
      const { sub } = logging;
      const seen = await submit('alice@example.com', HUSH);
      assert.deepEqual(only(seen), { event: 'login.refused', ...login, reason: 'wrong', sub });
      assertQuietAbout(HUSH, 'alice@example.com');
    });

    it('with an unknown name does not name it: users type passwords there', async () => {
      const seen = await submit(HUSH, 'alice');
      assert.deepEqual(only(seen), { event: 'login.refused', ...login, reason: 'wrong' });
      assertQuietAbout(HUSH);
    });

    it('that is throttled says so', async () => {
      const { sub } = logging;
      for (let count = 0; count < 10; count++) await submit('alice', `guess-${count}`);
      skipLogged();
      const byName = await submit('alice', PASSWORD);
      assert.deepEqual(only(byName), { event: 'login.refused', ...login, reason: 'throttled' });
      skipLogged();
      const byAccount = await submit('alice@example.com', PASSWORD);
      assert.deepEqual(only(byAccount), { event: 'login.refused', ...login, reason: 'exhausted', sub });
      assert.equal(byAccount.status, 400, 'the answer does not say so');
    });

    it('whose form is sent again names application and client', async () => {
      const { server } = logging;
      const visitor = new Visitor(server.base);
      const form = formWith(await visitor.follow(authorizationUrl(server)), 'password');
      await visitor.send(form, ALICE);
      skipLogged();
      const seen = await visitor.send(form, ALICE, FROM);
      const { app, client, reason, address } = only(seen);
      assert.deepEqual([app, client, reason, address], ['shop', 'web', 'formReplayed', ADDRESS]);
    });
  });
});
