import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';

const words = {
  en: {
    title: (application: string) => `No access to ${application}`,
    account: (username: string, application: string) =>
      `You are signed in as ${username}. This account has no access to ${application}.`,
    ask: 'If you think that it should have, ask the people who run the application.',
    back: 'Back to the application',
  },
  zh: {
    title: (application: string) => `无权访问 ${application}`,
    account: (username: string, application: string) =>
      `您已以 ${username} 的身份登录。此账户无权访问 ${application}。`,
    ask: '如果您认为应当有权访问，请联系该应用的管理人员。',
    back: '返回应用',
  },
} as const;

interface NoAccessView {
  readonly locale: Locale;
  readonly brand: Brand;
  /** The sealed pending request, carried through the form. */
  readonly pending: string;
  readonly username: string;
  readonly redirectUri: string;
  /** Whether another account could help: not if the request names the user. */
  readonly offersAnother: boolean;
}

export function noAccessPage(view: NoAccessView): Reply {
  const { locale, brand, pending, username, redirectUri } = view;
  const text = words[locale];
  return page({
    locale,
    brand,
    title: text.title(brand.name),
    formTarget: redirectUri,
    inPopup: true,
    body: html`
<h1>${text.title(brand.name)}</h1>
<p>${text.account(username, brand.name)}</p>
<p>${text.ask}</p>
<form method="post" action="/login/no-access" data-once>
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="back">${text.back}</button>
</form>
${
  view.offersAnother &&
  html`<form method="post" action="/login/no-access" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="another" class="quiet">${textFor(locale).useAnother}</button>
</form>`
}`,
  });
}
