import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ALICE, aPkcePair, basic, post } from '../build/client.ts';
import { suitePart } from '../build/suite-part.ts';
import { enter, hasNoAccess, openStaffTools } from './staff-tools.ts';

/** What the proxy asks for; `npm run test:go` runs the guide with the program itself. */
describe('docs/guides/staff-tools.md', () => {
  const guide = suitePart(openStaffTools);
  before(async () => {
    await guide.section('Register the tool');
  });

  const issuer = () => guide.place('http://localhost:3000/api/v1/authorize/tools/oauth2');
  const callback = () => guide.place('http://localhost:4000/oauth2/callback');

  it('gives the client of the proxy the groups of alice, and lets nobody else in', async () => {
    const { verifier, challenge } = aPkcePair();
    const asked = {
      response_type: 'code',
      client_id: 'wiki',
      redirect_uri: callback(),
      scope: 'openid profile email groups',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    const address = `${issuer()}/auth?${new URLSearchParams(asked)}`;
    const { location } = await enter(guide, address, ALICE.username, () => false);
    const code = new URL(location ?? '').searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', code, redirect_uri: callback(), code_verifier: verifier };
    const { json } = await post(`${issuer()}/token`, fields, { auth: basic('wiki', 'replace-this-secret') });
    const claims = JSON.parse(Buffer.from(json.id_token.split('.')[1], 'base64url').toString());
    assert.deepEqual(claims.groups, ['staff', 'finance']);
    assert.equal(claims.email_verified, true);
    assert(hasNoAccess(await enter(guide, address, 'bob')));
  });

  it('has a tool that greets whom the proxy names', async () => {
    await guide.section('The tool');
    await guide.section('The proxy');
    const headers = { 'x-forwarded-preferred-username': 'alice', 'x-forwarded-groups': 'staff,finance' };
    const answered = await fetch(guide.place('http://127.0.0.1:8080/'), { headers });
    assert.equal(await answered.text(), 'Hello alice, you are in staff,finance\n');
  });

  it('ends the access of who leaves the group', async () => {
    await guide.section('When someone leaves the group');
    const asked = { response_type: 'code', client_id: 'wiki', redirect_uri: callback(), scope: 'openid' };
    const { asked: pkce } = aPkcePair();
    const address = `${issuer()}/auth?${new URLSearchParams({ ...asked, ...pkce })}`;
    assert(hasNoAccess(await enter(guide, address, ALICE.username, () => false)));
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});
