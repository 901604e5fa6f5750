import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { aPkcePair, basic, redeem, userinfo } from '../build/client.ts';
import { type OidcUpstream, openOidcUpstream, UPSTREAM_CLIENT } from '../build/oidc-upstream.ts';
import { until } from '../build/until.ts';
import { answerIn, formWith, type Seen, Visitor } from '../build/visitor.ts';
import { KEYCLOAK_PASSWORDS, keycloakRealm, OLD_PASSWORD } from './exports.ts';
import { addressOf } from './operator.ts';
import { suiteGuide } from './run-guide.ts';

/** A real OpenID provider stands for Keycloak, and for Entra ID behind it. */
const KEYCLOAK = 'https://id.shop.example/realms/shop';
const ENTRA = 'https://login.microsoftonline.com/8f0c1d52-6a3e-4f7b-9c1d-2e5a7b9c0d1e/v2.0';
const { verifier, challenge } = aPkcePair();

describe('docs/guides/moving-from-keycloak.md', () => {
  const replace: Record<string, string> = { 'the value of the client secret': UPSTREAM_CLIENT.client_secret };
  const [kim] = KEYCLOAK_PASSWORDS;
  let upstream: OidcUpstream;
  const guide = suiteGuide('moving-from-keycloak', {
    ports: [3000, 4000],
    serves: { 'npm start': 3000 },
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    notRun: { 'kc.sh ': 'there is no Keycloak here; the file is made in its format' },
    replace,
  });
  before(async () => {
    const callbacks = ['keycloak', 'entra'].map(id =>
      guide.place(`http://localhost:3000/login/provider/${id}/callback`),
    );
    upstream = await openOidcUpstream(callbacks);
    replace[KEYCLOAK] = upstream.issuer;
    replace[ENTRA] = upstream.issuer;
    replace['5b1e7c44-0d2f-4a68-b3e9-7f6c5d4e3b2a'] = UPSTREAM_CLIENT.client_id;
    const realm = keycloakRealm() as { users: { username: string }[] };
    const users = realm.users.map(user =>
      user.username === kim?.username
        ? { ...user, federatedIdentities: [{ identityProvider: 'entra', userId: 'entra-1', userName: 'kim' }] }
        : user,
    );
    writeFileSync(join(guide.folder, 'realm.json'), JSON.stringify({ ...realm, users }));
  });
  after(() => upstream?.close());

  const base = () => guide.place('http://localhost:3000');
  const callback = () => guide.place('http://localhost:4000/callback');
  const start = (hint: object = {}) => {
    const query = new URLSearchParams({
      ...{ client_id: 'shop-brokered', response_type: 'code', redirect_uri: callback(), scope: 'openid profile' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', ...hint },
    });
    return `${base()}/api/v1/authorize/shop/oauth2/auth?${query}`;
  };
  const throughProvider = async (visitor: Visitor, location: string) => {
    const answer = await new Visitor(upstream.issuer).follow(location);
    return visitor.follow(answer.location ?? '');
  };
  const subOf = async (seen: Seen) => {
    const sending = { auth: basic('shop-brokered', 'replace-this-secret') };
    const fields = { redirect_uri: callback(), code_verifier: verifier };
    const set = await redeem(addressOf(guide), answerIn(seen).code, fields, sending);
    assert.equal(set.status, 200, set.text);
    return (await userinfo(addressOf(guide), set.json.access_token)).json.sub;
  };

  it('sends people to Keycloak, and programs see the sub that they know', async () => {
    await guide.section('Keycloak becomes a provider');
    await guide.section('Bring the people along');
    upstream.person = { sub: kim?.id ?? '', preferred_username: kim?.username };
    const visitor = new Visitor(base());
    let location = '';
    // The server reads changes of another process every half second.
    await until('a sign-in goes straight to Keycloak', async () => {
      location = (await visitor.follow(start())).location ?? '';
      return location.startsWith(upstream.issuer);
    });
    assert.equal(await subOf(await throughProvider(visitor, location)), kim?.id);
    assert.match(await guide.section('Programs move'), /works/);
  });

  it('goes on without Keycloak, with the password and the links that people had there', async () => {
    await guide.section('Take over what Keycloak has');
    await guide.section('Switch Keycloak off');
    const visitor = new Visitor(base());
    let page: Seen | undefined;
    await until('the sign-in page takes passwords', async () => {
      page = await visitor.follow(start());
      return page.text.includes('name="password"');
    });
    const typed = { username: kim?.username ?? '', password: OLD_PASSWORD };
    assert.equal(await subOf(await visitor.send(formWith(page as Seen, 'password'), typed)), kim?.id);
    upstream.person = { sub: 'entra-1' };
    const other = new Visitor(base());
    const { location = '' } = await other.follow(start({ idp_hint: 'entra' }));
    assert.equal(await subOf(await throughProvider(other, location)), kim?.id);
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});
