import type { Reply } from '../../platform/http/message.ts';
import { passkeyScript } from '../../platform/ui/assets.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { factorLinks, type OtherFactor } from '../second-factor/other-factors.ts';
import type { CodeError } from '../second-factor/second-factor.ts';
import { passkeyForm } from './form.html.ts';
import { passkeyStepText } from './text.ts';

export interface PasskeyView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly pending: string;
  readonly redirectUri: string | undefined;
  readonly options: object;
  readonly others: readonly OtherFactor[];
  readonly error: CodeError | undefined;
}

const STATUS = { wrong: 400, missing: 400, throttled: 429 } as const;

/** The second factor after a password, or the factor that a live session lacks. */
export function passkeyPage(view: PasskeyView): Reply {
  const { locale, error, pending } = view;
  const text = passkeyStepText[locale];
  const message = error && messageOf(error, locale);
  const fields = { pending };
  return page({
    locale,
    brand: view.brand,
    title: message === undefined ? text.title : `${message} · ${text.title}`,
    formTarget: view.redirectUri,
    inPopup: true,
    secondScript: passkeyScript,
    status: error ? STATUS[error.kind] : 200,
    retryAfter: error && 'retryAfter' in error ? error.retryAfter : undefined,
    body: html`
<h1>${text.title}</h1>
<p>${text.intro}</p>
${message !== undefined && html`<p class="alert" role="alert">${message}</p>\n`}<p data-without-passkeys>${text.unsupported}</p>
${passkeyForm({ locale, action: '/login/passkey', kind: 'get', options: view.options, fields, label: text.use })}
${factorLinks(locale, view.others, pending)}<form method="post" action="/login/passkey" class="secondary">
<input type="hidden" name="pending" value="${pending}">
<button type="submit" name="action" value="cancel" class="quiet">${sharedText[locale].cancel}</button>
</form>`,
  });
}

function messageOf(error: CodeError, locale: Locale): string {
  return error.kind === 'throttled'
    ? sharedText[locale].tooManyAttempts(error.retryAfter)
    : passkeyStepText[locale].wrong;
}
