import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { factorLinks, type OtherFactor } from './other-factors.ts';
import type { CodeError } from './second-factor.ts';
import { codeText } from './text.ts';

export interface CodeView {
  readonly locale: Locale;
  readonly brand: Brand;
  /** The sealed pending request, carried through the form. */
  readonly pending: string;
  readonly redirectUri: string | undefined;
  readonly factor: { readonly kind: 'totp' } | { readonly kind: 'recovery'; readonly left: number };
  /** What the user can use instead. */
  readonly others: readonly OtherFactor[];
  readonly error: CodeError | undefined;
  /** Whether the application lets users skip the code in this browser from now on. */
  readonly offersTrust?: boolean;
}

/** Asks for the code of an authenticator app, or for a recovery code. */
export function codePage(view: CodeView): Reply {
  const { locale, factor, error } = view;
  const text = codeText[locale];
  const isTotp = factor.kind === 'totp';
  const action = isTotp ? '/login/totp' : '/login/recovery';
  const heading = isTotp ? text.codeTitle : text.recoveryTitle;
  const message = error && messageOf(error, view);
  return page({
    locale,
    brand: view.brand,
    title: message === undefined ? heading : `${message} · ${heading}`,
    formTarget: view.redirectUri,
    inPopup: true,
    status: error ? STATUS[error.kind] : 200,
    retryAfter: error && 'retryAfter' in error ? error.retryAfter : undefined,
    body: html`
<h1>${heading}</h1>
<p id="hint">${isTotp ? text.codeIntro : text.recoveryIntro(factor.left)}</p>
${message !== undefined && html`<p class="alert" role="alert" id="error">${message}</p>`}
<form method="post" action="${action}" data-once>
<input type="hidden" name="pending" value="${view.pending}">
<label for="code">${isTotp ? text.code : text.recoveryCode}</label>
<div class="field">
<input id="code" name="code" type="text" ${isTotp ? DIGITS : LETTERS} required autofocus${error ? INVALID : DESCRIBED}>
</div>
${view.offersTrust && html`<div class="field check"><input type="checkbox" id="trust" name="trust" value="true"><label for="trust">${text.trust}</label></div>\n`}<button type="submit">${sharedText[locale].continue}</button>
</form>
${factorLinks(locale, view.others, view.pending)}<form method="post" action="${action}" class="secondary">
<input type="hidden" name="pending" value="${view.pending}">
<button type="submit" name="action" value="cancel" class="quiet">${sharedText[locale].cancel}</button>
</form>`,
  });
}

/** No `pattern` and no `maxlength`: people type the space that their app shows. */
const DIGITS = html`inputmode="numeric" autocomplete="one-time-code"`;
const LETTERS = html`autocomplete="off" autocapitalize="none" spellcheck="false"`;
const DESCRIBED: Html = html` aria-describedby="hint"`;
const INVALID: Html = html` aria-invalid="true" aria-describedby="error hint"`;
const STATUS = { wrong: 400, missing: 400, throttled: 429 } as const;

function messageOf(error: CodeError, { locale, factor }: CodeView): string {
  const text = codeText[locale];
  if (error.kind === 'throttled') return sharedText[locale].tooManyAttempts(error.retryAfter);
  if (error.kind === 'missing') return text.missingCode;
  return factor.kind === 'totp' ? text.wrongCode : text.wrongRecoveryCode;
}
