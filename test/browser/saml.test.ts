import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { aClient, anApplication } from '../build/fixture.ts';
import { listen } from '../build/listen.ts';
import { suitePart } from '../build/suite-part.ts';
import { answerOf, aSamlProvider, metadataXml } from '../people/saml/corp.ts';
import { attributeXml, NOW } from '../people/saml/messages.ts';
import { openBrowserFixture, visit } from './browser-fixture.ts';

/**
 * What only a browser can show: the provider is another site (`localhost`, while the server is 127.0.0.1), so its post brings no cookies,
 * the redirect after it does, and the policy of our pages lets the requests go there.
 */
describe('SAML in a browser', () => {
  let subject = 'u-1';

  const fixture = suitePart(() => openBrowserFixture({ clock: { now: () => NOW } }));
  const idp = suitePart(() =>
    listen((incoming, outgoing) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', signOn());
      let body = '';
      incoming.on('data', piece => {
        body += piece;
      });
      incoming.on('end', () => {
        const request = requestIn(incoming.method === 'POST' ? new URLSearchParams(body) : searchParams);
        const id = / ID="([^"]*)"/.exec(request)?.[1] ?? null;
        if (pathname === '/slo') {
          outgoing.writeHead(302, { location: `${fixture.server.base}/login/provider/corp/signed-out?SAMLResponse=x` });
          outgoing.end();
          return;
        }
        outgoing.setHeader('content-type', 'text/html');
        if (pathname === '/private') outgoing.setHeader('referrer-policy', 'no-referrer');
        outgoing.end(postingPage(id));
      });
    }),
  );
  const signOn = () => `http://localhost:${idp.port}/sso`;

  const register = (bindings: readonly ('HTTP-Redirect' | 'HTTP-POST')[]) =>
    fixture.server.provision({
      providers: [
        aSamlProvider({
          metadata: metadataXml({ bindings, signOn: signOn(), signOut: signOn().replace('/sso', '/slo') }),
          allow_unsolicited: true,
          sign_out: true,
        }),
      ],
      applications: [
        anApplication({ providers: ['corp'], clients: [aClient({ redirect_uris: [`${fixture.client.origin}/cb`] })] }),
      ],
    });

  for (const binding of ['HTTP-Redirect', 'HTTP-POST'] as const) {
    it(`signs in with requests by ${binding}`, async () => {
      await register([binding]);
      const seen = await visit(fixture.browser);
      await seen.page.goto(fixture.request());
      await seen.page.getByRole('button', { name: 'Continue with Corp' }).click();
      await seen.page.waitForURL(`${fixture.client.origin}/cb**`);
      assert.equal(new URL(seen.page.url()).searchParams.get('state'), 'st');
      assert.deepEqual(seen.complaints, []);
      await seen.close();
    });
  }

  it('signs out there too, from our own page, and comes back', async () => {
    await register(['HTTP-Redirect']);
    const seen = await visit(fixture.browser);
    await seen.page.goto(new URL('/portal', signOn()).href);
    await seen.page.waitForURL(`${fixture.server.base}/account`);
    await seen.page.goto(`${fixture.server.base}/logout`);
    const asked = seen.page.waitForRequest(request => request.url().includes('/slo?SAMLRequest='));
    await seen.page.getByRole('button', { name: 'Sign out' }).click();
    await asked;
    await seen.page.getByRole('heading', { name: 'Signed out' }).waitFor();
    assert.deepEqual(seen.complaints, []);
    await seen.close();
  });

  it('comes to the account page when the person begins at the provider', async () => {
    await register(['HTTP-Redirect']);
    const seen = await visit(fixture.browser);
    await seen.page.goto(new URL('/portal', signOn()).href);
    await seen.page.waitForURL(`${fixture.server.base}/account`);
    await seen.close();
  });

  it('asks first where the browser does not say that the provider has sent it', async () => {
    await register(['HTTP-Redirect']);
    const seen = await visit(fixture.browser);
    await seen.page.goto(new URL('/private', signOn()).href);
    await seen.page.getByText('Corp wants to sign you in as u-1.').waitFor();
    await seen.page.getByRole('button', { name: 'Continue' }).click();
    await seen.page.waitForURL(`${fixture.server.base}/account`);
    subject = 'u-2';
    await seen.page.goto(new URL('/portal', signOn()).href);
    await seen.page.getByText('Corp wants to sign you in as u-2.').waitFor();
    await seen.close();
  });

  function postingPage(id: string | null): string {
    const xml = answerOf(fixture.server, id, { nameId: subject, attributes: attributeXml('uid', subject) });
    const action = `${fixture.server.base}/login/provider/corp/callback`;
    const value = Buffer.from(xml).toString('base64');
    return `<!doctype html><title>Corp</title><form method="post" action="${action}"><input type="hidden" name="SAMLResponse" value="${value}"></form><script>document.forms[0].submit()</script>`;
  }
});

/** As it comes by HTTP-Redirect or HTTP-POST; nothing where the person began at the provider. */
function requestIn(parameters: URLSearchParams): string {
  const bytes = Buffer.from(parameters.get('SAMLRequest') ?? '', 'base64');
  if (bytes.length === 0) return '';
  return bytes[0] === 0x3c ? bytes.toString() : inflateRawSync(bytes).toString();
}
