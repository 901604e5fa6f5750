import type { Reply } from '../../message.ts';
import type { Brand } from '../../pages/brand.ts';
import { html } from '../../pages/html.ts';
import { page } from '../../pages/layout.ts';
import type { Locale } from '../../pages/locale.ts';
import { textFor } from '../../pages/text.ts';
import { encodeParams } from '../../protocol/params.ts';

export type LoginError =
  | { readonly kind: 'wrong' | 'missing' }
  | { readonly kind: 'busy' | 'throttled'; readonly retryAfter: number };

export interface LoginView {
  readonly locale: Locale;
  readonly brand: Brand;
  /** The sealed pending request, carried through the form. */
  readonly pending: string;
  readonly username: string;
  readonly redirectUri: string | undefined;
  /** Whether the server can send a link to a new password. */
  readonly offersReset: boolean;
  /** Whether people can make an account for the application. */
  readonly offersSignUp: boolean;
  readonly error?: LoginError;
}

export function loginPage(view: LoginView): Reply {
  const text = textFor(view.locale);
  const { error } = view;
  const carried = encodeParams([['pending', view.pending]]);
  const focusPassword = view.username !== '';
  const wrong = error?.kind === 'wrong';
  const missing = error?.kind === 'missing';
  return page({
    locale: view.locale,
    brand: view.brand,
    title: error
      ? `${messageOf(error, view.locale)} · ${text.signInTo(view.brand.name)}`
      : text.signInTo(view.brand.name),
    formTarget: view.redirectUri,
    inPopup: true,
    status: error ? STATUS[error.kind] : 200,
    retryAfter: error && 'retryAfter' in error ? error.retryAfter : undefined,
    body: html`
<h1>${text.signIn}</h1>
${error && html`<p class="alert" role="alert" id="error">${messageOf(error, view.locale)}</p>`}
<form method="post" action="/login" data-once>
<input type="hidden" name="pending" value="${view.pending}">
<label for="username">${text.username}</label>
<div class="field">
<input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${view.username}"${(wrong || (missing && !focusPassword)) && INVALID}${!focusPassword && AUTOFOCUS}>
</div>
<label for="password">${text.password}</label>
<div class="field" data-reveal data-show="${text.showPassword}" data-hide="${text.hidePassword}">
<input id="password" name="password" type="password" autocomplete="current-password" required${(wrong || (missing && focusPassword)) && INVALID}${focusPassword && AUTOFOCUS}>
</div>
<button type="submit">${text.signIn}</button>
</form>
${view.offersReset && html`<p class="forgot"><a href="/forgot-password?${carried}">${text.forgotPassword}</a></p>\n`}${view.offersSignUp && html`<p class="forgot"><a href="/signup?${carried}">${text.signUp}</a></p>\n`}<form method="post" action="/login" class="secondary">
<input type="hidden" name="pending" value="${view.pending}">
<button type="submit" name="action" value="cancel" class="quiet">${text.cancel}</button>
</form>`,
  });
}

const INVALID = html` aria-invalid="true" aria-describedby="error"`;
const AUTOFOCUS = html` autofocus`;
const STATUS = { wrong: 400, missing: 400, throttled: 429, busy: 503 } as const;

function messageOf(error: LoginError, locale: Locale): string {
  const text = textFor(locale);
  switch (error.kind) {
    case 'wrong':
      return text.wrongCredentials;
    case 'missing':
      return text.missingField;
    case 'throttled':
      return text.tooManyAttempts(error.retryAfter);
    case 'busy':
      return text.busy;
  }
}
