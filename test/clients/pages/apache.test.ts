import assert from 'node:assert/strict';
import { createServer, get, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type Seen, Visitor } from '../../build/visitor.ts';
import { type Apache, runApache } from '../apache.ts';
import { wander } from '../wander.ts';
import { enterPassword } from './log-in.ts';
import { openPage, type PageSetting } from './page.ts';

/** Those that Debian enables with the package, and those that the page names. */
const MODULES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc', 'proxy', 'proxy_http'];

describe('docs/clients/apache.md', () => {
  let setting: PageSetting;
  let apache: Apache;
  let application: Server;
  before(async () => {
    setting = await openPage('apache');
    application = createServer((request, response) => response.end(JSON.stringify(request.headers)));
    await new Promise<void>(resolve => application.listen(setting.upstreamPort, '127.0.0.1', resolve));
    apache = await runApache(MODULES, () => setting.block('apache').split('\n'), [setting.port]);
  });
  after(async () => {
    await apache?.close();
    application?.closeAllConnections();
    application?.close();
    await setting?.close();
  });

  it('logs alice in, hands her claims to the application, and logs her out of both', async () => {
    const { origin, server } = setting;
    const visitor = new Visitor(server.base);
    const seen = await enterPassword(visitor, await navigate(visitor, `${origin}/page`));
    assert.deepEqual([seen.url, seen.status], [`${origin}/page`, 200], apache.faults().join('\n'));
    const { oidc_claim_name, oidc_claim_email, oidc_claim_preferred_username } = JSON.parse(seen.text);
    assert.deepEqual(
      [oidc_claim_name, oidc_claim_email, oidc_claim_preferred_username],
      ['Alice Example', 'alice@example.com', 'alice'],
    );

    const bye = encodeURIComponent(`${origin}/`);
    await visitor.follow((await visitor.go(`${origin}/oidc/callback?logout=${bye}`)).location ?? '');
    const again = await wander(visitor, await navigate(visitor, `${origin}/page`));
    assert.match(again.text, /name="password"/, 'Apache and the server both ask again');
  });
});

/**
 * As a browser opens an address: the module starts no login for a request of a script (Sec-Fetch-Mode), as `fetch` sends it.
 * It ties the login to the user agent, which must be the same as in the requests that follow.
 */
function navigate(visitor: Visitor, url: string): Promise<Seen> {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return new Promise((resolve, reject) => {
    get(url, { headers: { accept: 'text/html', 'user-agent': 'node', cookie } }, response => {
      response.resume();
      for (const line of response.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        visitor.cookies.set(name, value);
      }
      const { statusCode = 0, headers } = response;
      resolve({ url, status: statusCode, headers: new Headers(), text: '', location: headers.location });
    }).on('error', reject);
  });
}
