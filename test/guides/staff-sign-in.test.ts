import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { aPkcePair } from '../build/client.ts';
import { openOidcUpstream, UPSTREAM_CLIENT, type UpstreamPerson } from '../build/oidc-upstream.ts';
import { suitePart } from '../build/suite-part.ts';
import { until } from '../build/until.ts';
import { type Seen, Visitor } from '../build/visitor.ts';
import { buttonOf } from '../people/federation/federated.ts';
import { suiteGuide } from './run-guide.ts';

/** What the reader has and no test: the four services. A real OpenID provider stands for each, with the claims that its documentation shows. */
const ISSUERS = [
  'https://login.microsoftonline.com/8f0c1d52-6a3e-4f7b-9c1d-2e5a7b9c0d1e/v2.0',
  'https://corp.okta.com',
  'https://id.corp.example/realms/staff',
];
const CLIENT_IDS = [
  '5b1e7c44-0d2f-4a68-b3e9-7f6c5d4e3b2a',
  '407408718192-example.apps.googleusercontent.com',
  '0oa1b2c3d4e5f6g7h8i9',
];

describe('docs/guides/staff-sign-in.md', () => {
  const replace: Record<string, string> = { 'the value of the client secret': UPSTREAM_CLIENT.client_secret };
  const guide = suiteGuide('staff-sign-in', {
    ports: [3000, 4000],
    serves: { 'npm start': 3000 },
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    replace,
  });
  const ids = ['entra', 'google', 'okta', 'keycloak'];
  const corp = suitePart(() =>
    openOidcUpstream(ids.map(id => guide.place(`http://localhost:3000/login/provider/${id}/callback`))),
  );
  before(async () => {
    for (const issuer of ISSUERS) replace[issuer] = corp.issuer;
    // The service knows its own.
    replace['type: google'] = `type: google\n    issuer: ${corp.issuer}`;
    for (const id of CLIENT_IDS) replace[id] = UPSTREAM_CLIENT.client_id;
  });

  const base = () => guide.place('http://localhost:3000');

  /** To the button of the provider, there, and back. */
  async function enter(person: UpstreamPerson, id: string, wayIn = byButton): Promise<Seen> {
    corp.person = person;
    const visitor = new Visitor(base());
    const query = new URLSearchParams({
      ...{ client_id: 'portal-web', response_type: 'code' },
      redirect_uri: guide.place('http://localhost:4000/callback'),
      ...{ code_challenge: aPkcePair().challenge, code_challenge_method: 'S256' },
    });
    const start = `${base()}/api/v1/authorize/portal/oauth2/auth?${query}`;
    let page: Seen | undefined;
    // The server reads changes of another process every half second.
    await until(`the sign-in page offers ${id} as the guide says`, async () => {
      page = await visitor.follow(start);
      return wayIn === byButton ? page.text.includes(`/login/provider/${id}"`) : page.location !== undefined;
    });
    const { location: there = '', text } = await wayIn(visitor, page as Seen, id);
    assert(there.startsWith(corp.issuer), `${there} ${text}`);
    const { location = '' } = await new Visitor(corp.issuer).follow(there);
    return visitor.follow(location);
  }
  const byButton = (visitor: Visitor, page: Seen, id: string) => visitor.send(buttonOf(page, id));
  const isIn = ({ location = '' }: Seen) => /\/callback\?code=/.test(location);

  it('has an application that staff alone gets into', async () => {
    await guide.section('An application for staff');
  });

  it('Entra ID: groups by their object ids, addresses that nobody calls verified', async () => {
    await guide.section('Entra ID');
    const dora = {
      ...{ sub: 'pairwise-1', oid: '1f2e', tid: '8f0c', name: 'Dora Dorn', email: 'dora@corp.example' },
      preferred_username: 'dora@corp.example',
      groups: ['2c9d7e10-5b4a-4c3f-8e2d-1a0b9c8d7e6f', 'another group'],
    };
    assert(isIn(await enter(dora, 'entra')));
    const stranger = { sub: 'pairwise-2', preferred_username: 'erna@corp.example', groups: ['another group'] };
    assert.match((await enter(stranger, 'entra')).url, /\/login\/no-access/);
    const asked = await enter({ sub: 'pairwise-3', email: 'alice@corp.example' }, 'entra');
    assert.match(asked.url, /\/login\/link/, 'the owner of the address proves it');
  });

  it('Google Workspace: whoever has an account comes to it by the verified address', async () => {
    await guide.section('Google Workspace');
    const alice = { sub: '1184', email: 'alice@corp.example', email_verified: true, hd: 'corp.example' };
    assert(isIn(await enter(alice, 'google')));
  });

  it('Okta: groups by the claim, renewed at each sign-in', async () => {
    await guide.section('Okta');
    const frank = { sub: '00u1', preferred_username: 'frank@corp.example', groups: ['portal-users'] };
    assert(isIn(await enter(frank, 'okta')));
    assert.match(corp.asked().get('scope') ?? '', /\bgroups\b/);
    assert.match((await enter({ ...frank, groups: ['portal-guests'] }, 'okta')).url, /\/login\/no-access/);
  });

  it('Keycloak: groups without their path', async () => {
    await guide.section('Keycloak');
    const greta = { sub: 'f3a1', preferred_username: 'greta', groups: ['employees'], email: 'greta@corp.example' };
    assert(isIn(await enter(greta, 'keycloak')));
  });

  it('has an application without a form, which goes straight to its only provider', async () => {
    await guide.section('The only way in');
    const greta = { sub: 'f3a1', preferred_username: 'greta', groups: ['employees'] };
    assert(isIn(await enter(greta, 'keycloak', async (_, seen) => seen)));
  });

  it('says which providers work', async () => {
    const printed = await guide.section('When it does not work');
    for (const id of ['entra', 'google', 'okta', 'keycloak']) assert.match(printed, new RegExp(`${id}\\s+works`));
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});
