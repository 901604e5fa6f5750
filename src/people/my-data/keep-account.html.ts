import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';

const words = {
  en: {
    title: 'Your account will be deleted',
    on: (day: Html) => html`As you asked, your account will be deleted on ${day}.`,
    choice: 'You can keep it. Then nothing is deleted, and you are signed in as usual.',
    keep: 'Keep the account',
    leave: 'Let it be deleted',
  },
  zh: {
    title: '您的账户将被删除',
    on: (day: Html) => html`根据您的请求，您的账户将于 ${day} 删除。`,
    choice: '您可以保留账户。保留后不会删除任何内容，您将照常登录。',
    keep: '保留账户',
    leave: '继续删除',
  },
} as const;

interface KeepAccountView {
  readonly locale: Locale;
  readonly brand: Brand;
  /** The sealed pending request, carried through the form. */
  readonly pending: string;
  readonly redirectUri: string | undefined;
  readonly dueAt: number;
}

export function keepAccountPage({ locale, brand, pending, redirectUri, dueAt }: KeepAccountView): Reply {
  const text = words[locale];
  const due = new Date(dueAt * 1000);
  return page({
    locale,
    brand,
    title: text.title,
    formTarget: redirectUri,
    inPopup: true,
    body: html`
<h1>${text.title}</h1>
<p>${text.on(html`<time datetime="${due.toISOString()}">${timeText(locale, due)}</time>`)}</p>
<p>${text.choice}</p>
<form method="post" action="/login/keep-account" data-once>
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="keep">${text.keep}</button>
</form>
<form method="post" action="/login/keep-account" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="cancel" class="quiet">${text.leave}</button>
</form>`,
  });
}
