import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Locale, locales } from '../../../src/platform/ui/locale.rules.ts';
import { ALICE } from '../../build/client.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, query, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** What is to be said, and what would not be true. */
interface Sentence {
  readonly says: RegExp;
  readonly never: RegExp;
}

const NOT_SET_UP: Readonly<Record<Locale, Sentence>> = {
  en: { says: /not set up .*Trying again will not help.*contact the application/, never: /expired|not complete/ },
  zh: { says: /没有正确配置.*重试不会有帮助.*联系该应用/, never: /过期|不完整/ },
  de: { says: /nicht richtig eingerichtet.*neuer Versuch hilft nicht.*Betreiber/, never: /abgelaufen|unvollständig/ },
};
const NOT_SIGNED_OUT: typeof NOT_SET_UP = {
  en: { says: /You were not signed out/, never: /expired|not complete|sign in again/ },
  zh: { says: /您没有被退出登录/, never: /过期|不完整|重新登录/ },
  de: { says: /Sie wurden nicht abgemeldet/, never: /abgelaufen|unvollständig|erneut an/ },
};
const BAD_LINK: typeof NOT_SET_UP = {
  en: { says: /incomplete or incorrect.*contact the application/, never: /expired/ },
  zh: { says: /不完整或不正确.*联系该应用/, never: /过期/ },
  de: { says: /unvollständig oder nicht korrekt.*Betreiber/, never: /abgelaufen/ },
};
const UNREADABLE: typeof NOT_SET_UP = {
  en: { says: /Your browser sent something/, never: /link|expired/ },
  zh: { says: /您的浏览器发送的内容/, never: /链接|过期/ },
  de: { says: /Ihr Browser hat etwas gesendet/, never: /Link|abgelaufen/ },
};
const EXPIRED: typeof NOT_SET_UP = {
  en: { says: /expired.*another browser.*cookies.*start again/, never: /sign in again/ },
  zh: { says: /过期.*另一个浏览器.*Cookie.*重新开始/, never: /重新登录/ },
  de: { says: /abgelaufen.*anderen Browser.*Cookies.*von vorn/, never: /erneut an/ },
};
const SIGNED_OUT: typeof NOT_SET_UP = {
  en: { says: /no longer signed in/, never: /expired/ },
  zh: { says: /不再处于登录状态/, never: /过期/ },
  de: { says: /nicht mehr angemeldet/, never: /abgelaufen/ },
};

describe('a problem page names the true cause, and a remedy that works (issue 10, E.4)', () => {
  const server = suiteServer({
    applications: [anApplication({ clients: [aClient({ require_consent: true })] })],
  });

  /** The sentence below the heading, which all the visitor sees unless they unfold the rest. */
  const sentenceOf = ({ text }: Seen): string => /<h1>[^<]*<\/h1>\s*<p>([^<]*)<\/p>/.exec(text)?.[1] ?? text;

  const cases: readonly (readonly [
    string,
    (visitor: Visitor, headers: Record<string, string>) => Promise<Seen>,
    typeof NOT_SET_UP,
  ])[] = [
    [
      'an unregistered redirect address',
      (visitor, headers) =>
        visitor.go(authorizationUrl(server, { redirect_uri: 'https://evil.example/' }), { headers }),
      NOT_SET_UP,
    ],
    [
      'an unknown client',
      (visitor, headers) => visitor.go(authorizationUrl(server, { client_id: 'nobody' }), { headers }),
      NOT_SET_UP,
    ],
    [
      'a request that is too long',
      (visitor, headers) => visitor.go(authorizationUrl(server, { state: 'x'.repeat(17_000) }), { headers }),
      NOT_SET_UP,
    ],
    [
      'a link without its redirect address',
      (visitor, headers) => visitor.go(authorizationUrl(server, { redirect_uri: undefined }), { headers }),
      BAD_LINK,
    ],
    [
      'an unregistered address after logout',
      (visitor, headers) => {
        const asked = query({ client_id: 'web', post_logout_redirect_uri: 'https://evil.example/' });
        return visitor.go(`${server.at()}/logout?${asked}`, { headers });
      },
      NOT_SIGNED_OUT,
    ],
    [
      'an unknown client at logout',
      (visitor, headers) => visitor.go(`${server.at()}/logout?client_id=nobody`, { headers }),
      NOT_SIGNED_OUT,
    ],
    [
      'a form of another content type',
      (visitor, headers) => visitor.go(`${server.base}/login`, { method: 'POST', body: 'x', headers }),
      UNREADABLE,
    ],
    [
      'another method',
      (visitor, headers) => visitor.go(`${server.base}/login`, { method: 'DELETE', headers }),
      UNREADABLE,
    ],
    [
      'a login that is too old',
      (visitor, headers) => visitor.go(`${server.base}/login?pending=x`, { headers }),
      EXPIRED,
    ],
    [
      'a logout that is too old',
      (visitor, headers) => visitor.go(`${server.base}/logout?pending=x`, { headers }),
      EXPIRED,
    ],
    [
      'a consent after the session has ended',
      async (visitor, headers) => {
        const page = await signIn(server, {}, { visitor });
        const form = formWith(page, 'sub');
        visitor.cookies.delete('gatehouse_session');
        const body = `${form.fields}&action=allow`;
        return visitor.go(form.action, { method: 'POST', body, headers: { ...FORM, origin: server.base, ...headers } });
      },
      SIGNED_OUT,
    ],
  ];

  for (const [what, open, sentences] of cases) {
    for (const locale of locales) {
      it(`${what}, in ${locale}`, async () => {
        const seen = await open(new Visitor(server.base), { 'accept-language': locale });
        assert(seen.status >= 400, String(seen.status));
        const sentence = sentenceOf(seen);
        assert.match(sentence, sentences[locale].says);
        assert.doesNotMatch(sentence, sentences[locale].never);
      });
    }
  }

  it('after a bad logout request the user is still signed in, and can sign out from the page', async () => {
    const visitor = new Visitor(server.base);
    await visitor.send(formWith(await visitor.follow(`${server.base}/account`), 'password'), ALICE);
    const seen = await visitor.go(`${server.at()}/logout?client_id=nobody`);
    const [, path = ''] = /<a href="(\/logout)">/.exec(seen.text) ?? [];
    const confirm = await visitor.go(new URL(path, server.base).href);
    const done = await visitor.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
    assert.match(confirm.text, /You are signed in as alice/);
    assert.match(done.text, /You are signed out/);
  });
});
