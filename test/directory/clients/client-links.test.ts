import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALLBACK as OWN_CALLBACK, PKCE, PUBLIC, register } from '../../build/assistant.ts';
import { send } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { type DocumentAnswer, openDocumentServer } from '../../build/document-server.ts';
import { aClient, CALLBACK, type ClientInput } from '../../build/fixture.ts';
import { elsewhere } from '../../build/limits.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atConsent, press, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, query, type Seen, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SHOWN = `src="data:image/png;base64,${PNG.toString('base64')}"`;
const LINKS = {
  client_uri: 'https://partner.example/',
  policy_uri: 'https://partner.example/privacy',
  tos_uri: 'https://partner.example/terms?a=1&b=2',
};
const OPEN = { client_id_metadata: 'any', dynamic_registration: 'open' } as const;
const clock = fixedClock();

const documents = suitePart(openDocumentServer);
const server = suiteServer({
  clock,
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
  shop: { ...OPEN, clients: [aClient()] },
});
const owner = suitePart(() => anOperatorClient(server));

const publishLogo = (
  path: string,
  answer: DocumentAnswer = { headers: { 'content-type': 'image/png' }, body: PNG },
) => {
  documents.answer(path, answer);
  return documents.at(path);
};

async function partner(client_id: string, fields: ClientInput): Promise<string> {
  await server.provision({
    shop: { ...OPEN, clients: [aClient({ client_id, require_consent: true, ...fields })] },
  });
  return client_id;
}

const registering = (metadata: object) => register(server, { ...PUBLIC, ...metadata });

async function consentPageOf(client_id: string, redirect_uri = CALLBACK, ui_locales = 'en'): Promise<[Visitor, Seen]> {
  const visitor = await signedIn(server);
  const request = { client_id, redirect_uri, response_type: 'code', scope: 'openid', ui_locales };
  const page = await visitor.follow(`${server.at()}/auth?${query({ ...request, ...PKCE })}`, { headers: elsewhere() });
  assert(atConsent(page), page.text);
  return [visitor, page];
}

describe("a client's own logo and links on its consent page (OpenID Connect Registration section 2)", () => {
  it('of a client that an operator has set: website, privacy policy, terms and logo, which this server fetched', async () => {
    const client = await partner('partner', { ...LINKS, logo_uri: publishLogo('/partner.png') });
    const [, { text, headers }] = await consentPageOf(client);
    for (const uri of Object.values(LINKS)) {
      assert(
        text.includes(`<a href="${uri.replaceAll('&', '&amp;')}" target="_blank" rel="noopener noreferrer">`),
        uri,
      );
    }
    assert(text.includes(SHOWN), text);
    assert(!text.includes('/partner.png'), 'the browser of the visitor does not ask for it');
    assert.match(headers.get('content-security-policy') ?? '', /img-src 'self' data:;/);
    assert.doesNotMatch(text, /own words/);
  });

  it('of a client that nobody has vouched for: labelled as its own words, with the host of each link, in both languages', async () => {
    const logo_uri = publishLogo('/assistant.png');
    const id = (await registering({ ...LINKS, logo_uri })).json.client_id;
    const [, { text }] = await consentPageOf(id, OWN_CALLBACK);
    assert.match(text, /own words[\s\S]*data:image\/png[\s\S]*Privacy policy[\s\S]*partner\.example/);
    assert.match(
      (await consentPageOf(id, OWN_CALLBACK, 'zh'))[1].text,
      /自己提供[\s\S]*隐私政策[\s\S]*partner\.example/,
    );
    const document = documents.publish('/document-with-links', { ...LINKS, logo_uri });
    assert.match((await consentPageOf(document, OWN_CALLBACK))[1].text, /own words[\s\S]*data:image\/png/);
  });

  it('a logo is fetched once for many pages', async () => {
    const client = await partner('many', { logo_uri: publishLogo('/many.png') });
    for (let pages = 0; pages < 3; pages++) await consentPageOf(client);
    assert.equal(documents.count('/many.png'), 1);
  });

  const image = (body: string | Buffer, type = 'image/png') => ({ headers: { 'content-type': type }, body });
  const BAD_LOGOS: readonly [string, DocumentAnswer][] = [
    ['a drawing that could carry script', image('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')],
    ['a page that calls itself an image', image('<script>alert(1)</script>')],
    ['an image that calls itself a page', image(PNG, 'text/html')],
    ['more than 128 KiB', image(Buffer.concat([PNG, Buffer.alloc(128 * 1024)]))],
    ['a redirect', { status: 302, headers: { location: 'https://127.0.0.1/' }, body: '' }],
    ['nothing', { status: 404 }],
  ];
  for (const [name, answer] of BAD_LOGOS) {
    it(`attack: a logo that is ${name} is not shown, and the page is`, async () => {
      const path = `/${name.replaceAll(' ', '-')}`;
      const id = (await registering({ logo_uri: publishLogo(path, answer) })).json.client_id;
      const [, { text }] = await consentPageOf(id, OWN_CALLBACK);
      assert.doesNotMatch(text, /data:image/);
      assert.equal(documents.count(path), 1);
    });
  }

  it('attack: a logo at a private address is not asked for, and nobody waits for one that does not come', async () => {
    const inside = (await registering({ logo_uri: 'https://10.0.0.1/logo.png' })).json.client_id;
    assert.doesNotMatch((await consentPageOf(inside, OWN_CALLBACK))[1].text, /data:image/);
    let end = () => {};
    const when = new Promise<void>(done => {
      end = done;
    });
    const slow = (await registering({ logo_uri: publishLogo('/slow.png', { ...image(PNG), when }) })).json.client_id;
    assert.doesNotMatch((await consentPageOf(slow, OWN_CALLBACK))[1].text, /data:image/);
    end();
  });

  it('attack: an address that runs something, hides its host or is not https is refused in every door', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://partner.example/',
      'https://a@b.example/',
      '/x',
    ]) {
      for (const field of ['logo_uri', 'client_uri', 'policy_uri', 'tos_uri', 'initiate_login_uri']) {
        const refused = await registering({ [field]: uri });
        assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_client_metadata'], `${field} ${uri}`);
        const created = await owner.ask('POST', '/applications/shop/clients', { client_id: 'bad', [field]: uri });
        assert.equal(created.status, 400, `${field} ${uri}`);
        await assert.rejects(partner('bad', { [field]: uri }));
      }
    }
  });
});

describe('initiate_login_uri (OpenID Connect Core section 4)', () => {
  const start = 'https://partner.example/start?tenant=7';

  it('is where /account/access leads from the client: with iss, and with nothing of the user', async () => {
    const client = await partner('starts', { initiate_login_uri: start });
    const [visitor, page] = await consentPageOf(client);
    await press(visitor, page, 'allow');
    const { text } = await visitor.follow(`${server.base}/account/access`);
    const iss = encodeURIComponent(server.at());
    assert(text.includes(`href="${start}&amp;iss=${iss}"`), text);
    assert.doesNotMatch(text, /login_hint|target_link_uri/);
  });

  it('is on / for the clients that an operator has set, and not for those that registered themselves', async () => {
    const client = await partner('from-home', { client_name: 'Partner home', initiate_login_uri: start });
    const own = (await registering({ client_name: 'Own home', initiate_login_uri: start })).json.client_id;
    const visitor = await signedIn(server);
    for (const [id, to] of [
      [client, CALLBACK],
      [own, OWN_CALLBACK],
    ] as const) {
      const fields = { client_id: id, redirect_uri: to, ...PKCE };
      await press(visitor, await visitor.follow(authorizationUrl(server, fields), { headers: elsewhere() }), 'allow');
    }
    const { text } = await visitor.go(`${server.base}/`);
    assert.match(text, /Partner home/);
    assert.doesNotMatch(text, /Own home/);
    assert.doesNotMatch((await new Visitor(server.base).go(`${server.base}/`)).text, /Partner home/);
  });
});

describe('the links of a client in every door', () => {
  const all = {
    ...LINKS,
    logo_uri: 'https://partner.example/logo.png',
    initiate_login_uri: 'https://partner.example/start',
  };

  it('the admin API sets, shows and clears them', async () => {
    await withStatus(201, owner.ask('POST', '/applications/shop/clients', { client_id: 'by-api', ...all }));
    const path = '/applications/shop/clients/by-api';
    const pick = (json: Record<string, unknown>) =>
      Object.fromEntries(Object.keys(all).map(name => [name, json[name]]));
    assert.deepEqual(pick((await owner.ask('GET', path)).json), all);
    await withStatus(200, owner.ask('PATCH', path, Object.fromEntries(Object.keys(all).map(name => [name, null]))));
    assert.deepEqual(Object.values(pick((await owner.ask('GET', path)).json)).filter(Boolean), []);
  });

  it('registration answers with them, and PUT replaces them (RFC 7591, RFC 7592)', async () => {
    const { json } = await registering(all);
    for (const [name, value] of Object.entries(all)) assert.equal(json[name], value, name);
    const put = await send(json.registration_client_uri, {
      method: 'PUT',
      body: JSON.stringify({ ...PUBLIC, client_id: json.client_id, tos_uri: 'https://partner.example/new' }),
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${json.registration_access_token}`,
        ...elsewhere(),
      },
    });
    assert.equal(put.status, 200, put.text);
    assert.deepEqual([put.json.tos_uri, put.json.policy_uri], ['https://partner.example/new', undefined]);
  });
});
