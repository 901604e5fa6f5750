import type { Reply } from '../../message.ts';
import { type EnrolView, enrolPage } from '../../pages/enrol-totp-pages.ts';
import { html } from '../../pages/html.ts';
import { textFor } from '../../pages/text.ts';

const words = {
  en: {
    intro: (name: string) =>
      `Signing in to ${name} needs a second factor beside your password. Set up an authenticator app on your phone; you do this once.`,
  },
  zh: {
    intro: (name: string) => `登录 ${name} 除密码外还需要第二重验证。请在手机上设置身份验证器应用，只需设置一次。`,
  },
} as const;

interface EnrolTotpView extends Pick<EnrolView, 'document' | 'key' | 'issuer' | 'username' | 'isWrong'> {
  /** The sealed progress, which holds the key. */
  readonly pending: string;
}

/** Another factor that can be set up instead, such as a passkey, is offered in `after`, before the way out. */
export function enrolTotpPage({ document, pending, ...view }: EnrolTotpView): Promise<Reply> {
  const { locale, brand } = document;
  return enrolPage({
    ...view,
    document,
    action: '/login/enrol',
    sealed: ['pending', pending],
    intro: words[locale].intro(brand?.name ?? ''),
    after: html`<form method="post" action="/login/enrol" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="cancel" class="quiet">${textFor(locale).cancel}</button>
</form>`,
  });
}
