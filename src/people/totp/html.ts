import type { Reply } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { textFor } from '../../platform/ui/text.ts';
import { type EnrolView, enrolPage } from './enrol.html.ts';

const words = {
  en: {
    intro: (name: string) =>
      `Signing in to ${name} needs a second factor beside your password. Set up an authenticator app on your phone; you do this once.`,
    passkey: 'Use a passkey instead',
  },
  zh: {
    intro: (name: string) => `登录 ${name} 除密码外还需要第二重验证。请在手机上设置身份验证器应用，只需设置一次。`,
    passkey: '改用通行密钥',
  },
} as const;

interface EnrolTotpView extends Pick<EnrolView, 'document' | 'key' | 'issuer' | 'username' | 'isWrong'> {
  /** The sealed progress, which holds the key. */
  readonly pending: string;
  /** The user is signed in, and can add a passkey on the account page instead. */
  readonly offersPasskey: boolean;
}

export function enrolTotpPage({ document, pending, offersPasskey, ...view }: EnrolTotpView): Promise<Reply> {
  const { locale, brand } = document;
  return enrolPage({
    ...view,
    document,
    action: '/login/enrol',
    sealed: ['pending', pending],
    intro: words[locale].intro(brand?.name ?? ''),
    after: html`${offersPasskey && html`<p class="forgot"><a href="/account/security/passkeys">${words[locale].passkey}</a></p>\n`}<form method="post" action="/login/enrol" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="cancel" class="quiet">${textFor(locale).cancel}</button>
</form>`,
  });
}
