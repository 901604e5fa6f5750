import type { Reply } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { type EnrolView, enrolPage } from './enrol.html.ts';
import { enrolText } from './text.ts';

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
    intro: enrolText[locale].intro(brand?.name ?? ''),
    after: html`${offersPasskey && html`<p class="forgot"><a href="/account/security/passkeys">${enrolText[locale].passkey}</a></p>\n`}<form method="post" action="/login/enrol" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="cancel" class="quiet">${sharedText[locale].cancel}</button>
</form>`,
  });
}
