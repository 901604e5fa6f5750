import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsOf, redeem, userinfo } from '../../build/client.ts';
import { eventDuring } from '../../build/events.ts';
import type { TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { buttonOf } from '../federation/federated.ts';
import {
  answerOf,
  audienceOf,
  bring,
  callbackAt,
  idIn,
  leaveFor,
  metadataXml,
  requestIn,
  SIGN_ON,
  samlServer,
  signInByCorp,
} from './corp.ts';
import { type AssertionParts, attributeXml, isSignedWith, NOW, responseXml } from './messages.ts';

const BOB: AssertionParts = {
  nameId: 'u-1',
  attributes:
    attributeXml('mail', 'bob@corp.example', 'builder@corp.example') +
    attributeXml('urn:oid:0.9.2342.19200300.100.1.1', 'bob') +
    attributeXml('givenName', 'Bob') +
    attributeXml('sn', 'Builder') +
    attributeXml('memberOf', 'engineers', 'secret society'),
};

const PASSWORD_CLASS = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';

describe('a sign-in with a SAML provider (SAML profiles section 4.1)', () => {
  const server = samlServer({ provider: { groups: { engineers: 'staff' }, acr_map: { [PASSWORD_CLASS]: '2' } } });

  it('sends an AuthnRequest by HTTP-Redirect, without RelayState', async () => {
    const { request, query, id } = await leaveFor(server);
    assert.match(request, /^<samlp:AuthnRequest /);
    assert(request.includes(` AssertionConsumerServiceURL="${callbackAt(server)}"`), request);
    assert(request.includes(` Destination="${SIGN_ON}"`), request);
    assert(request.includes(`<saml:Issuer>${audienceOf(server)}</saml:Issuer>`), request);
    assert(!request.includes('ForceAuthn'));
    assert.match(id, /^_[\w-]{22}$/);
    assert.deepEqual([...query.keys()], ['SAMLRequest']);
  });

  it('makes an account at the first time, and finds it at the second', async () => {
    const first = await tokensOf(server, await signInByCorp(server, BOB));
    assert.equal(first.preferred_username, 'bob');
    assert.equal(first.given_name, 'Bob');
    assert.equal(first.family_name, 'Builder');
    assert.equal(first.email, 'bob@corp.example');
    assert.equal(first.email_verified, false);
    assert.deepEqual((await server.services.store.findAccount('bob'))?.membership?.groups, ['staff']);
    const second = await tokensOf(server, await signInByCorp(server, BOB));
    assert.equal(second.sub, first.sub);
  });

  it('maps AuthnContextClassRef by acr_map', async () => {
    const { amr, acr } = await tokensOf(server, await signInByCorp(server, BOB));
    assert.deepEqual(amr, ['fed', 'mfa']);
    assert.equal(acr, '2');
  });

  it('asks for an authentication anew with prompt=login, and takes no older one (SAML core section 3.4.1)', async () => {
    const { visitor, request, id } = await leaveFor(server, { prompt: 'login' });
    assert.match(request, / ForceAuthn="true"/);
    const old = await bring(server, visitor, answerOf(server, id, { ...BOB, authenticated: -120 }));
    assert.match(old.text, /could not be verified/);
    const anew = await leaveFor(server, { prompt: 'login' });
    const seen = await bring(server, anew.visitor, answerOf(server, anew.id, { ...BOB, authenticated: 0 }));
    assert(answerIn(seen).code);
  });

  it('asks for one anew with max_age, and takes none that is older (OIDC Core section 3.1.2.1)', async () => {
    const { visitor, request, id } = await leaveFor(server, { max_age: '300' });
    assert.match(request, / ForceAuthn="true"/);
    const old = await bring(server, visitor, answerOf(server, id, { ...BOB, authenticated: -400 }));
    assert.match(old.text, /could not be verified/);
    const anew = await leaveFor(server, { max_age: '300' });
    const seen = await bring(server, anew.visitor, answerOf(server, anew.id, { ...BOB, authenticated: -200 }));
    assert(answerIn(seen).code);
  });

  it('tells what the provider refuses, and offers the other ways', async () => {
    const { visitor, id } = await leaveFor(server);
    const status =
      '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Requester"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:InvalidNameIDPolicy"/></samlp:StatusCode>';
    const refusal = responseXml('', { status, inResponseTo: id, destination: callbackAt(server) });
    let seen: Seen | undefined;
    const event = await eventDuring(server, 'provider.sign_in.failed', async () => {
      seen = await bring(server, visitor, refusal);
    });
    assert.match(seen?.text ?? '', /Corp refused the sign-in/);
    assert.match(seen?.text ?? '', /name="password"/);
    const { reason, detail } = event.details ?? {};
    assert.deepEqual([reason, detail], ['refused', 'the provider said Requester, InvalidNameIDPolicy']);
  });
});

describe('who a person of a SAML provider is', () => {
  const byAttribute = samlServer({ provider: { claims: { sub: 'uid', username: 'login' } } });
  const persistent = samlServer({ provider: { name_id_format: 'persistent', entity_id: 'urn:example:gatehouse' } });

  it('is a stranger with a transient NameID, unless claims.sub names an attribute', async () => {
    const server = byAttribute;
    const transient = '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">_1</saml:NameID>';
    const attributes = attributeXml('uid', 'u-7') + attributeXml('login', 'carol');
    const { seen } = await signInByCorp(server, { subject: transient, attributes });
    assert(answerIn(seen).code);
    const account = await server.services.store.findLinkedAccount({ provider: 'corp', subject: 'u-7' });
    assert.equal(account?.username, 'carol');
    const none = await signInByCorp(server, { subject: transient, attributes: attributeXml('login', 'carol') });
    assert.match(none.seen.text, /could not be verified/);
    const two = await signInByCorp(server, { attributes: attributeXml('uid', 'u-7', 'u-8') });
    assert.match(two.seen.text, /could not be verified/);
  });

  it('is asked for by name_id_format, and an answer of another format is refused', async () => {
    const server = persistent;
    const { visitor, request, id } = await leaveFor(server);
    const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
    assert(request.includes(`<samlp:NameIDPolicy Format="${format}" AllowCreate="true"/>`), request);
    assert(request.includes('<saml:Issuer>urn:example:gatehouse</saml:Issuer>'), request);
    const audience = 'urn:example:gatehouse';
    const other =
      '<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">bob@corp.example</saml:NameID>';
    const refused = await bring(server, visitor, answerOf(server, id, { audience, subject: other }));
    assert.match(refused.text, /could not be verified/);
    const { visitor: again, id: next } = await leaveFor(server);
    assert(answerIn(await bring(server, again, answerOf(server, next, { audience, nameId: 'u-9' }))).code);
  });
});

describe('a person of a SAML provider with update_profile: always', () => {
  const server = samlServer({ provider: { groups: { engineers: 'staff' }, update_profile: 'always' } });
  const groupsAfter = async (attributes: string) => {
    assert(answerIn((await signInByCorp(server, { nameId: 'u-1', attributes })).seen).code);
    const account = await server.services.store.findLinkedAccount({ provider: 'corp', subject: 'u-1' });
    return account?.membership?.groups ?? [];
  };

  it('leaves the groups here that the provider does not name any more', async () => {
    assert.deepEqual(await groupsAfter(attributeXml('memberOf', 'engineers')), ['staff']);
    assert.deepEqual(await groupsAfter(attributeXml('memberOf', 'secret society')), []);
    assert.deepEqual(await groupsAfter(attributeXml('memberOf', 'engineers')), ['staff']);
    assert.deepEqual(await groupsAfter(''), [], 'without the attribute');
  });

  it('keeps them where the provider names only the place of the groups, as Entra ID does of more than 150', async () => {
    assert.deepEqual(await groupsAfter(attributeXml('memberOf', 'engineers')), ['staff']);
    const link = attributeXml('http://schemas.microsoft.com/claims/groups.link', 'https://graph.example/groups');
    assert.deepEqual(await groupsAfter(link), ['staff']);
  });
});

describe('a person of a SAML provider in many groups', () => {
  const names = (length: number) => Array.from({ length: 100 }, (_, at) => `é${at}`.padEnd(length, '-'));
  const mapped = (length: number) => Object.fromEntries(names(length).map((name, at) => [name, `g${at}`]));
  const fits = samlServer({ provider: { groups: mapped(60) } });
  const exceeds = samlServer({ provider: { groups: mapped(200) } });

  it('has all that are mapped', async () => {
    const server = fits;
    const attributes = attributeXml('groups', ...names(60), ...names(70));
    assert(answerIn((await signInByCorp(server, { nameId: 'u-1', attributes })).seen).code);
    const account = await server.services.store.findLinkedAccount({ provider: 'corp', subject: 'u-1' });
    assert.equal(account?.membership?.groups?.length, 100);
  });

  it('is told where they are too many for an address', async () => {
    const server = exceeds;
    const { seen } = await signInByCorp(server, { attributes: attributeXml('groups', ...names(200)) });
    assert.match(seen.text, /could not be verified/);
    assert.match(server.logged(), /what is mapped of the attributes is too long/);
  });
});

describe('a SAML provider that takes requests by HTTP-POST alone', () => {
  const server = samlServer({
    provider: { metadata: metadataXml({ bindings: ['HTTP-POST'], wantsSigned: true }) },
  });

  it('gets them from a page that posts itself, signed with the key of our metadata', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    const posting = await visitor.send(buttonOf(page, 'corp'));
    assert.match(posting.headers.get('content-security-policy') ?? '', /form-action 'self' https:;/);
    const form = formWith(posting, 'SAMLRequest');
    assert.equal(form.action, SIGN_ON);
    const request = Buffer.from(form.fields.get('SAMLRequest') ?? '', 'base64').toString();
    const metadata = await visitor.go(audienceOf(server));
    assert.equal(isSignedWith(request, certificateIn(metadata.text)), true);
    const id = / ID="([^"]*)"/.exec(request)?.[1] ?? '';
    assert(answerIn(await bring(server, visitor, answerOf(server, id, BOB))).code);
  });
});

describe('AuthnInstant of an assertion', () => {
  const server = samlServer();

  it('is the auth_time of the client, and never in the future (OIDC Core section 2)', async () => {
    for (const [authenticated, expected] of [
      [-1234, NOW - 1234],
      [0, NOW],
      [45, NOW],
    ] as const) {
      const claims = await tokensOf(server, await signInByCorp(server, { authenticated }));
      assert.equal(claims.auth_time, expected);
    }
  });

  it('counts for max_age of the client: an older one is asked for anew, and refused when it comes again', async () => {
    const { visitor } = await signInByCorp(server, { authenticated: -1234 });
    const again = async (max_age: string) => visitor.follow(authorizationUrl(server, { scope: 'openid', max_age }));
    assert(answerIn(await again('1300')).code);
    const asked = await visitor.send(buttonOf(await again('1000'), 'corp'));
    assert.match(requestIn(asked.location ?? ''), / ForceAuthn="true"/);
    const id = idIn(asked.location ?? '');
    const stale = await bring(server, visitor, answerOf(server, id, { authenticated: -1234 }));
    assert.equal(stale.location, undefined);
    assert.match(server.logged(), /did not authenticate anew/);
    const anew = await visitor.send(buttonOf(await again('1000'), 'corp'));
    const fresh = await bring(server, visitor, answerOf(server, idIn(anew.location ?? ''), { authenticated: -10 }));
    assert.equal((await tokensOf(server, { seen: fresh })).auth_time, NOW - 10);
  });
});

describe('a SAML provider that is the only way in', () => {
  const byPost = samlServer({
    provider: { metadata: metadataXml({ bindings: ['HTTP-POST'] }) },
    application: { local_sign_in: false },
  });
  const byRedirect = samlServer({ provider: { domains: ['corp.example'] } });

  it('is gone to at once, also by HTTP-POST', async () => {
    const server = byPost;
    const visitor = new Visitor(server.base);
    const posting = await visitor.follow(authorizationUrl(server));
    const form = formWith(posting, 'SAMLRequest');
    assert.equal(form.action, SIGN_ON);
    const request = Buffer.from(form.fields.get('SAMLRequest') ?? '', 'base64').toString();
    assert.doesNotMatch(request, /Signature/);
    const id = / ID="([^"]*)"/.exec(request)?.[1] ?? '';
    assert(answerIn(await bring(server, visitor, answerOf(server, id, BOB))).code);
  });

  it('is gone to with the address whose domain is its own', async () => {
    const server = byRedirect;
    const visitor = new Visitor(server.base);
    const gone = await visitor.follow(authorizationUrl(server, { login_hint: 'bob@corp.example' }));
    const query = new URL(gone.location ?? 'none:').searchParams;
    assert.deepEqual([...query.keys()], ['SAMLRequest', 'login_hint']);
    assert.equal(query.get('login_hint'), 'bob@corp.example');
  });
});

async function tokensOf(server: TestServer, { seen }: { readonly seen: Seen }) {
  const { code } = answerIn(seen);
  assert(code, seen.text);
  const { json } = await redeem(server, code);
  return { ...(await userinfo(server, json.access_token)).json, ...claimsOf(json.id_token) };
}

function certificateIn(metadata: string): string {
  return /<ds:X509Certificate>([^<]*)/.exec(metadata)?.[1] ?? '';
}
