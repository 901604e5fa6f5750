import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import { passkeyScript } from '../../platform/ui/assets.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import type { ProviderButton } from '../federation/offered.ts';
import { federationText } from '../federation/text.ts';
import { passkeyForm } from '../passkey/form.html.ts';
import { signInText } from './text.ts';

export type LoginError =
  | { readonly kind: 'wrong' | 'missing' | 'passkey' }
  /** What went wrong with an identity provider. */
  | { readonly kind: 'provider' | 'unchecked'; readonly message: string }
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
  /** The options for a passkey; undefined: none is taken here. */
  readonly passkey: object | undefined;
  /** A passkey was right, and the password is asked for too. */
  readonly addsToPasskey: boolean;
  /** A person of an identity provider is asked for the account to be linked. */
  readonly linksTo?: { readonly provider: string; readonly email: string } | undefined;
  readonly providers: readonly ProviderButton[];
  readonly providerTargets: readonly string[];
  /** Of an account here, or of a directory. */
  readonly takesPasswords: boolean;
  /** Whether the form can be sent without a password. */
  readonly needsPassword: boolean;
  readonly error?: LoginError;
}

export function loginPage(view: LoginView): Reply {
  const text = signInText[view.locale];
  const shared = sharedText[view.locale];
  const federation = federationText[view.locale];
  const { error } = view;
  return page({
    locale: view.locale,
    brand: view.brand,
    title: error
      ? `${messageOf(error, view.locale)} · ${text.signInTo(view.brand.name)}`
      : text.signInTo(view.brand.name),
    formTarget: [...(view.redirectUri === undefined ? [] : [view.redirectUri]), ...view.providerTargets],
    inPopup: true,
    secondScript: view.passkey && passkeyScript,
    status: error ? STATUS[error.kind] : 200,
    retryAfter: error && 'retryAfter' in error ? error.retryAfter : undefined,
    body: html`
<h1>${view.linksTo ? federation.linkTitle : text.signIn}</h1>
${error && html`<p class="alert" role="alert" id="error">${messageOf(error, view.locale)}</p>`}
${view.linksTo && html`<p>${federation.linkIntro(view.linksTo.provider, view.linksTo.email)}</p>\n`}${view.takesPasswords && passwordPart(view)}${view.providers.length > 0 && providersPart(view)}<form method="post" action="${actionOf(view)}" class="secondary">
<input type="hidden" name="pending" value="${view.pending}">
<button type="submit" name="action" value="cancel" class="quiet">${shared.cancel}</button>
</form>`,
  });
}

function actionOf({ linksTo }: LoginView): string {
  return linksTo ? '/login/link' : '/login';
}

/** The password and what stands in for it. */
function passwordPart(view: LoginView): Html {
  const text = signInText[view.locale];
  const shared = sharedText[view.locale];
  const { error } = view;
  const carried = encodeParams([['pending', view.pending]]);
  const focusPassword = view.username !== '';
  const wrong = error?.kind === 'wrong';
  const missing = error?.kind === 'missing';
  return html`${view.addsToPasskey && !error && html`<p>${text.passwordToo}</p>\n`}<form method="post" action="${actionOf(view)}" data-once>
<input type="hidden" name="pending" value="${view.pending}">
<label for="username">${text.username}</label>
<div class="field">
<input id="username" name="username" type="text" autocomplete="${view.passkey ? 'username webauthn' : 'username'}" autocapitalize="none" spellcheck="false" required value="${view.username}"${(wrong || (missing && !focusPassword)) && INVALID}${!focusPassword && AUTOFOCUS}>
</div>
<label for="password">${text.password}</label>
<div class="field" data-reveal data-show="${shared.showPassword}" data-hide="${shared.hidePassword}">
<input id="password" name="password" type="password" autocomplete="current-password"${view.needsPassword && REQUIRED}${(wrong || (missing && focusPassword)) && INVALID}${focusPassword && AUTOFOCUS}>
</div>
<button type="submit">${text.signIn}</button>
</form>
${view.passkey && passkeyPart(view, view.passkey)}${view.offersReset && html`<p class="forgot"><a href="/forgot-password?${carried}">${shared.forgotPassword}</a></p>\n`}${view.offersSignUp && html`<p class="forgot"><a href="/signup?${carried}">${text.signUp}</a></p>\n`}`;
}

/** A form for each, because each is an address of its own. */
function providersPart({ locale, pending, providers, takesPasswords }: LoginView): Html {
  const text = federationText[locale];
  const buttons = providers.map(
    ({ id, name, isAvailable }) => html`<form method="post" action="/login/provider/${id}" data-once>
<input type="hidden" name="pending" value="${pending}">
<button type="submit" class="provider"${!isAvailable && html` disabled`}>${isAvailable ? text.continueWith(name) : text.notAvailable(name)}</button>
</form>
`,
  );
  return html`${takesPasswords && html`<p class="or">${text.or}</p>\n`}${buttons}`;
}

function passkeyPart(view: LoginView, options: object): Html {
  const { locale, pending, error } = view;
  const action = actionOf(view);
  const fields = { pending, action: 'passkey' };
  const label = signInText[locale].signInWithPasskey;
  // Not by itself again after a passkey was refused: an authenticator that answers at once would be asked for ever.
  const inAutofill = error?.kind !== 'passkey';
  const form = { locale, action, kind: 'get', options, fields, label, inAutofill, isQuiet: true } as const;
  return html`${passkeyForm(form)}\n`;
}

const REQUIRED = html` required`;
const INVALID = html` aria-invalid="true" aria-describedby="error"`;
const AUTOFOCUS = html` autofocus`;
const STATUS = {
  provider: 200,
  unchecked: 503,
  wrong: 400,
  missing: 400,
  passkey: 400,
  throttled: 429,
  busy: 503,
} as const;

function messageOf(error: LoginError, locale: Locale): string {
  const text = signInText[locale];
  switch (error.kind) {
    case 'wrong':
      return text.wrongCredentials;
    case 'passkey':
      return text.wrongPasskey;
    case 'missing':
      return text.missingField;
    case 'provider':
    case 'unchecked':
      return error.message;
    case 'throttled':
      return sharedText[locale].tooManyAttempts(error.retryAfter);
    case 'busy':
      return sharedText[locale].busy;
  }
}
