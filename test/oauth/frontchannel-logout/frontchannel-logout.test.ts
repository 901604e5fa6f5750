import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALLBACK as ASSISTANT, consentPageOf, PUBLIC, registered, WITH_VERIFIER } from '../../build/assistant.ts';
import { basic, claimsOf, get, redeem } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { aClient, anApplication, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogoutQuestion, press, SESSION_COOKIE, signedIn, tokensOf } from '../../build/people.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { query, type Seen, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const ORIGIN = new URL(CALLBACK).origin;
const BYE = `${ORIGIN}/bye`;
const BANK = 'https://bank.example';
const server = suiteServer({
  applications: [
    anApplication({
      clients: [
        aClient({
          ...{ client_name: 'The "Shop" & Co', post_logout_redirect_uris: [BYE] },
          frontchannel_logout_uri: `${ORIGIN}/front?tenant=1&x=<y>`,
        }),
        aClient({ client_id: 'silent' }),
      ],
    }),
    anApplication({
      ...{ code: 'bank', name: 'Bank' },
      clients: [
        aClient({
          ...{ client_id: 'teller', client_name: 'Teller', redirect_uris: [CALLBACK, `${BANK}/cb`] },
          ...{ frontchannel_logout_uri: `${BANK}/signed-out`, frontchannel_logout_session_required: true },
        }),
      ],
    }),
  ],
});

/** Signs out by the first client, and stops at the page that follows. */
async function signOut(visitor: Visitor, idToken: string, fields = {}, { at } = server): Promise<Seen> {
  return visitor.follow(`${at()}/logout?${query({ id_token_hint: idToken, ...fields })}`);
}

const framesOf = ({ text }: Seen) => [...text.matchAll(/<iframe src="([^"]*)"/g)].map(([, address]) => address);
const policyOf = ({ headers }: Seen) => headers.get('content-security-policy') ?? '';

describe('front-channel logout (OpenID Connect Front-Channel Logout)', () => {
  it('loads the address of each client of the session in a frame, with iss and sid where it asks for them (section 2)', async () => {
    const visitor = await signedIn(server);
    const set = await tokensOf(server, visitor);
    const auth = basic('teller', 'web-secret-1');
    const atBank = await tokensOf(
      server,
      visitor,
      { client_id: 'teller', prompt: 'none' },
      { app: 'bank', sending: { auth } },
    );
    const { sid } = claimsOf(atBank.id_token);

    const page = await withStatus(200, signOut(visitor, set.id_token));
    const named = `iss=${encodeURIComponent(server.at('bank'))}&amp;sid=${encodeURIComponent(String(sid))}`;
    assert.deepEqual(framesOf(page).sort(), [
      `${BANK}/signed-out?${named}`,
      `${ORIGIN}/front?tenant=1&amp;x=&lt;y&gt;`,
    ]);
    assert.match(page.text, /Signing you out of these applications/);
    assert.match(page.text, /<li>The &quot;Shop&quot; &amp; Co<\/li>/);
    assert.match(policyOf(page), new RegExp(`; frame-src (${BANK} ${ORIGIN}|${ORIGIN} ${BANK})$`));
    assert.deepEqual([visitor.cookies.has(SESSION_COOKIE), page.headers.get('refresh')], [false, null]);
  });

  it('goes on to the client after 5 s at most, with its state', async () => {
    const visitor = await signedIn(server);
    const { id_token } = await tokensOf(server, visitor);
    const page = await signOut(visitor, id_token, { post_logout_redirect_uri: BYE, state: 'a&b' });
    assert.equal(page.headers.get('refresh'), `5; url=${BYE}?state=a%26b`);
    assert.match(page.text, new RegExp(`<a href="${BYE}\\?state=a%26b" data-next="5">`));
  });

  it('is told of a sign-out that the person confirms, too', async () => {
    const visitor = await signedIn(server);
    await tokensOf(server, visitor);
    const question = await visitor.follow(`${server.base}/logout`);
    assert(atLogoutQuestion(question));
    const form = { action: `${server.base}/logout`, fields: new URLSearchParams() };
    const sent = await visitor.send(form);
    const page = sent.location ? await visitor.follow(sent.location) : sent;
    assert.equal(framesOf(page).length, 1);
  });

  it('has no frame, and no further page, where no client of the session wants one', async () => {
    const visitor = new Visitor(server.base);
    await signIn(server, { client_id: 'silent' }, { visitor });
    const { id_token } = await tokensOf(
      server,
      visitor,
      { client_id: 'silent' },
      { sending: { auth: basic('silent', 'web-secret-1') } },
    );
    const page = await signOut(visitor, id_token);
    assert.match(page.text, /You are signed out/);
    assert.deepEqual(framesOf(page), []);
    assert.doesNotMatch(policyOf(page), /frame-src/);
  });

  it('shows the frames to the browser that signed out, and to no other', async () => {
    const visitor = await signedIn(server);
    const { id_token } = await tokensOf(server, visitor);
    const gone = await visitor.go(`${server.at()}/logout?${query({ id_token_hint: id_token })}`);
    assert.match(gone.location ?? '', /\/logout\?ended=/);
    const elsewhere = await withStatus(200, get(gone.location ?? ''));
    assert.doesNotMatch(elsewhere.text, /iframe/);
  });

  it('takes an address at the origin of a redirect URI alone, so that no client has frames of others loaded (section 2)', async () => {
    const owner = await anOperatorClient(server);
    const put = (frontchannel_logout_uri: string) =>
      owner.ask('PATCH', '/applications/shop/clients/silent', { frontchannel_logout_uri });
    for (const uri of [
      'https://evil.example/x',
      `${ORIGIN}:8443/x`,
      ORIGIN.replace('https:', 'http:'),
      'app:/x',
      '/x',
    ]) {
      const refused = await put(uri);
      assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, '/frontchannel_logout_uri'], uri);
    }
    // Their hosts would become further directives, or a further policy, of the page that loads the frames.
    for (const origin of ['https://a;sandbox', "https://a,default-src'none'"]) {
      const uris = { redirect_uris: [CALLBACK, `${origin}/cb`], frontchannel_logout_uri: `${origin}/x` };
      const refused = await owner.ask('PATCH', '/applications/shop/clients/silent', uris);
      assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, '/frontchannel_logout_uri'], origin);
    }
    assert.equal((await put(`${ORIGIN}/silent`)).status, 200);
    assert.equal(
      (await owner.ask('PATCH', '/applications/shop/clients/silent', { frontchannel_logout_uri: null })).status,
      200,
    );
  });

  it('is in discovery (section 3)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.deepEqual([json.frontchannel_logout_supported, json.frontchannel_logout_session_supported], [true, true]);
  });
});

describe('front-channel logout of clients that register themselves, after a sign-out that nobody was told of', () => {
  const clock = fixedClock();
  const documents = suitePart(openDocumentServer);
  const open = testPart(() =>
    startTestServer({
      clock,
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
      applications: [
        anApplication({
          dynamic_registration: 'open',
          client_id_metadata: 'any',
          clients: [aClient({ client_id: 'silent' })],
        }),
      ],
    }),
  );
  const address = `${new URL(ASSISTANT).origin}/front`;
  const TOLD = { ...PUBLIC, frontchannel_logout_uri: address };

  /** The frames of the page after a user has signed in to the client, and out again. */
  async function framesAfterSignOut(clientId: string) {
    const visitor = new Visitor(open.base);
    const page = await consentPageOf(open, clientId, {}, visitor);
    const { code = '' } = delivered(await press(visitor, page, 'allow'), ASSISTANT).fields;
    // Nodes do this on a notification, or every half second.
    await open.services.registry.refresh();
    const { json } = await withStatus(200, redeem(open, code, { client_id: clientId, ...WITH_VERIFIER }, {}));
    return framesOf(await signOut(visitor, json.id_token, {}, open));
  }

  async function noneToldSoFar(): Promise<void> {
    const { registry } = open.services;
    await registry.refresh();
    assert.equal(await registry.isAnyToldInFrames(), false);
  }

  it('a client that registers is told', async () => {
    await noneToldSoFar();
    const { client_id: clientId } = await registered(open, TOLD);
    assert.deepEqual(await framesAfterSignOut(clientId), [address]);
  });

  it('a client of a document is told, also where the document names the address later', async () => {
    const clientId = documents.publish('/told', PUBLIC);
    assert.deepEqual(await framesAfterSignOut(clientId), []);
    await noneToldSoFar();
    documents.publish('/told', TOLD);
    clock.advance(10 * 60);
    assert.deepEqual(await framesAfterSignOut(clientId), [address]);
  });
});
