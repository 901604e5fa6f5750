import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { passkeyFormText } from './text.ts';

/** The form that platform/ui/assets/passkey.js fills in with the answer of an authenticator. Hidden without script. */
export interface PasskeyForm {
  readonly locale: Locale;
  readonly action: string;
  readonly kind: 'get' | 'create';
  /** The options in the JSON of WebAuthn section 5.1.8 or 5.1.10. */
  readonly options: object;
  readonly fields: Readonly<Record<string, string>>;
  readonly label: string;
  /** Beside the button. */
  readonly more?: Html;
  readonly isQuiet?: boolean;
  /** The browser offers passkeys in the autofill of the field for the user name. */
  readonly inAutofill?: boolean;
}

export function passkeyForm(form: PasskeyForm): Html {
  const { failed, present } = passkeyFormText[form.locale];
  const { inAutofill = false, isQuiet = false, more = html`` } = form;
  return html`<form method="post" action="${form.action}" class="passkey" data-passkey="${form.kind}" data-options="${JSON.stringify(form.options)}" data-failed="${failed}" data-present="${present}"${inAutofill && html` data-autofill`} hidden>
${Object.entries(form.fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}<input type="hidden" name="passkey" value="">
<p class="alert" role="alert" hidden></p>
${more}<button type="submit"${isQuiet && html` class="quiet"`}>${form.label}</button>
</form>`;
}
