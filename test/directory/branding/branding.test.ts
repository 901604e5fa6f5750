import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logoHash, MAX_LOGO_BYTES } from '../../../src/directory/branding/rules.ts';
import { correctedAccent } from '../../../src/platform/ui/accent.rules.ts';
import { BRANDING, dataUri, PNG, pngOf, SVG_WITH_SCRIPT } from '../../build/branding.ts';
import { get, introspect } from '../../build/client.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Seen, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const asks = aClient({ client_id: 'asks', require_consent: true });

describe('the look of an application on its pages (issue 13, point 2)', () => {
  const server = suiteServer({
    applications: [
      anApplication({ ...BRANDING, clients: [aClient(), asks] }),
      anApplication({ code: 'plain', name: 'Plain', clients: [aClient(), asks] }),
    ],
  });
  const alice = suitePart(() => signedIn(server));

  const pages: Readonly<Record<string, (app: string) => Promise<Seen>>> = {
    login: app => new Visitor(server.base).follow(authorizationUrl(server, {}, app)),
    consent: app => alice.follow(authorizationUrl(server, { client_id: 'asks' }, app)),
    'select account': app => alice.follow(authorizationUrl(server, { prompt: 'select_account' }, app)),
    'sign out': app => alice.follow(`${server.at(app)}/logout`),
  };
  const linksOf = ({ text }: Seen) =>
    [...text.matchAll(/<a href="([^"]*)" target="_blank" rel="noopener noreferrer">([^<]*)<\/a>/g)].map(
      ([, uri, name]) => [name, uri],
    );

  for (const [name, open] of Object.entries(pages)) {
    it(`${name}: logo, stylesheet of the accent and links, all but the links from this server`, async () => {
      const seen = await withStatus(200, open('shop'));
      assert(seen.text.includes(`<img class="logo" src="${server.at()}/logo/${logoHash(PNG)}" alt="">`), seen.text);
      assert.match(seen.text, /<link rel="stylesheet" href="\/assets\/accent-ffd400\.[0-9a-f]{12}\.css">/);
      assert.deepEqual(linksOf(seen), [
        ['Help', BRANDING.help_uri],
        ['Privacy', BRANDING.policy_uri],
        ['Terms', BRANDING.tos_uri],
      ]);
      const policy = seen.headers.get('content-security-policy') ?? '';
      assert.match(policy, /img-src 'self' data:;/);
      assert.match(policy, /style-src 'self';/);
      assert.doesNotMatch(seen.text, /<style|\sstyle=/);
    });

    it(`${name} of an application without any of them: its initial, and no foot`, async () => {
      const { text } = await open('plain');
      assert.match(text, /<span class="initial" aria-hidden="true">P<\/span>/);
      assert.doesNotMatch(text, /accent-|class="logo"|<footer/);
    });
  }

  it('the links are named in the language of the page', async () => {
    const headers = { 'accept-language': 'zh-CN' };
    const seen = await new Visitor(server.base).follow(authorizationUrl(server, { ui_locales: 'zh-CN' }), { headers });
    assert.deepEqual(
      linksOf(seen).map(([name]) => name),
      ['帮助', '隐私政策', '服务条款'],
    );
  });

  it('pages that belong to no application have none of it', async () => {
    for (const path of ['/logout', '/account']) {
      const { text } = await alice.follow(server.base + path);
      assert.doesNotMatch(text, /accent-|class="logo"|<footer/, path);
    }
  });

  it('the stylesheet has the corrected colours, and is cached for ever', async () => {
    const { text } = await (pages.login as (app: string) => Promise<Seen>)('shop');
    const path = /\/assets\/accent-[\w.-]+/.exec(text)?.[0] ?? '';
    const css = await get(server.base + path);
    const { light, dark } = correctedAccent('#ffd400');
    assert.deepEqual([css.status, css.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
    assert.match(css.headers.get('cache-control') ?? '', /immutable/);
    assert.notEqual(light.accent, '#ffd400', 'as it was chosen it is not legible on white');
    assert.equal(dark.accent, '#ffd400');
    for (const { accent } of [light, dark]) assert(css.text.includes(accent));
  });
});

describe('{issuer}/logo/{hash}', () => {
  const calls: string[] = [];
  const server = suiteServer({
    applications: [
      anApplication({ logo_uri: SVG_WITH_SCRIPT }),
      anApplication({ code: 'bank', name: 'Bank', logo_uri: PNG }),
    ],
    wrapStore: store =>
      new Proxy(store, {
        get(target, name: keyof typeof store) {
          const found = target[name];
          if (typeof found !== 'function') return found;
          return (...args: never[]) => {
            calls.push(name);
            return (found as (...args: never[]) => unknown).apply(target, args);
          };
        },
      }),
  });
  const owner = suitePart(() => anOperatorClient(server));
  const logoAt = (app: string, uri: string) => get(`${server.at(app)}/logo/${logoHash(uri)}`);

  it('serves the image with its type, cached for ever', async () => {
    const response = await fetch(`${server.at('bank')}/logo/${logoHash(PNG)}`);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png']);
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    const body = Buffer.from(await response.arrayBuffer());
    assert.equal(dataUri('image/png', body), PNG);
  });

  it('attack: an SVG with a script is a document without rights, and its type is not guessed', async () => {
    const { headers } = await withStatus(200, logoAt('shop', SVG_WITH_SCRIPT));
    assert.equal(headers.get('content-type'), 'image/svg+xml');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; .*; sandbox;/);
    assert.equal(headers.get('x-frame-options'), 'DENY');
  });

  it('the logo of another application, and one that was replaced, are 404 (row 4), without a look into the store', async () => {
    calls.length = 0;
    assert.equal((await logoAt('shop', PNG)).status, 404);
    assert.equal((await get(`${server.at()}/logo/undefined`)).status, 404);
    assert.deepEqual(
      calls.filter(name => name === 'findLogo'),
      [],
    );
    const other = dataUri('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await owner.ask('PATCH', '/applications/bank', { logo_uri: other });
    assert.equal((await logoAt('bank', PNG)).status, 404);
    assert.equal((await logoAt('bank', other)).status, 200);
    await owner.ask('DELETE', '/applications/bank');
    assert.equal((await logoAt('bank', other)).status, 404);
    await owner.ask('POST', '/applications/bank/restore');
    assert.equal((await logoAt('bank', other)).status, 200);
  });

  it('the image is read for its own address alone: neither pages nor tokens carry it', async () => {
    calls.length = 0;
    await new Visitor(server.base).follow(authorizationUrl(server));
    await introspect(server, { token: 'nonsense' });
    assert(!calls.includes('findLogo'));
    const cached = server.services.registry.cachedApplication('shop');
    assert.equal(cached?.logo_hash, logoHash(SVG_WITH_SCRIPT));
    assert(JSON.stringify(cached).length < 600, 'the cache of the registry has no image');
  });
});

describe('logo, colour and links in the admin API', () => {
  const server = suiteServer({ applications: [anApplication()] });
  const owner = suitePart(() => anOperatorClient(server));

  it('POST, GET and PATCH have them; null clears each, and what a patch leaves out stays', async () => {
    const made = await owner.ask('POST', '/applications', { code: 'books', name: 'Books', ...BRANDING, tos_uri: null });
    assert.equal(made.status, 201, made.text);
    const { tos_uri: _, ...expected } = BRANDING;
    for (const [name, value] of Object.entries(expected)) assert.equal(made.json[name], value, name);
    assert(!('tos_uri' in made.json));
    const renamed = await owner.ask('PATCH', '/applications/books', { name: 'Renamed', accent_color: '#ABCDEF' });
    assert.deepEqual([renamed.json.logo_uri, renamed.json.accent_color], [PNG, '#abcdef']);
    assert.deepEqual((await owner.ask('GET', '/applications/books')).json, renamed.json);
    const none = { logo_uri: null, accent_color: null, help_uri: null, policy_uri: null };
    const cleared = await withStatus(200, owner.ask('PATCH', '/applications/books', none));
    for (const name of Object.keys(none)) assert(!(name in cleared.json), name);
  });

  it('a list leaves the logos out', async () => {
    await owner.ask('PATCH', '/applications/shop', BRANDING);
    const { items } = (await owner.ask('GET', '/applications')).json;
    const shop = items.find(({ code }: { code: string }) => code === 'shop');
    assert.equal(shop.accent_color, BRANDING.accent_color);
    assert(!('logo_uri' in shop));
  });

  it('If-Match covers the logo: a change of it makes the state another', async () => {
    const before = (await owner.ask('GET', '/applications/shop')).headers.get('etag') ?? '';
    await owner.ask('PATCH', '/applications/shop', { logo_uri: SVG_WITH_SCRIPT });
    await withStatus(412, owner.ask('PATCH', '/applications/shop', { name: 'Late' }, { 'if-match': before }));
  });

  it('attack: what is no image, no colour and no link is refused with its place and what to do', async () => {
    const refused = await owner.ask('PATCH', '/applications/shop', {
      logo_uri: 'https://cdn.example/logo.png',
      accent_color: '#fff}body{background:url(https://evil.example)',
      help_uri: 'javascript:alert(1)',
      policy_uri: 'http://shop.example/privacy',
      tos_uri: 'https://user:secret@shop.example/',
    });
    assert.equal(refused.status, 400);
    const faults = Object.fromEntries(
      refused.json.errors.map(({ pointer, detail }: { pointer: string; detail: string }) => [pointer, detail]),
    );
    assert.match(faults['/logo_uri'], /must be the image itself, data:image\/png;base64/);
    assert.match(faults['/accent_color'], /must be # and six hexadecimal digits/);
    assert.match(faults['/help_uri'], /must be an https address/);
    assert.match(faults['/policy_uri'], /must be an https address/);
    assert.match(faults['/tos_uri'], /user name or password/);
  });

  it('attack: a logo that is too large is refused, one of 32 KiB is not', async () => {
    const large = await owner.ask('PATCH', '/applications/shop', { logo_uri: pngOf(MAX_LOGO_BYTES + 1) });
    assert.equal(large.status, 400);
    assert.match(large.json.errors[0].detail, /at most 32 KiB/);
    assert.equal((await owner.ask('PATCH', '/applications/shop', { logo_uri: pngOf(MAX_LOGO_BYTES) })).status, 200);
  });

  it('attack: colours that would break out of a stylesheet, and links that would break out of an attribute', async () => {
    for (const accent_color of ['red', '#fff', '#ffffff;', '#gggggg', '#ffffff\n', 'url(x)', '#FFFFFF ', '']) {
      const { status } = await owner.ask('PATCH', '/applications/shop', { accent_color });
      assert.equal(status, 400, JSON.stringify(accent_color));
    }
    const help_uri = 'https://shop.example/"onmouseover="alert(1)\'<script>';
    assert.equal((await owner.ask('PATCH', '/applications/shop', { help_uri })).status, 200);
    const { text } = await new Visitor(server.base).follow(authorizationUrl(server));
    assert(text.includes('href="https://shop.example/&quot;onmouseover=&quot;alert(1)&#39;&lt;script&gt;"'), text);
  });

  it('the events name what was changed, and have no value of it', async () => {
    const { items } = (await owner.ask('GET', '/events?type=application.updated')).json;
    assert(items.some(({ details }: { details: { fields: string[] } }) => details.fields.includes('logo_uri')));
    assert(!JSON.stringify(items).includes('base64'));
  });

  it('the reference says what a logo is (OpenAPI)', async () => {
    const { json } = await owner.ask('GET', '/openapi.json');
    const { schema } = json.paths['/applications'].post.requestBody.content['application/json'];
    assert.match(schema.properties.logo_uri.description, /data: URI/);
    assert.match(schema.properties.accent_color.description, /#rrggbb/);
    assert(!schema.required.includes('logo_uri'));
  });
});
