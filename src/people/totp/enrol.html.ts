import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { keepButtons } from '../../platform/ui/keep.ts';
import { type Document, page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { qrCode } from '../../platform/ui/qr-code.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { codeText, securityText } from '../second-factor/text.ts';
import { keyUri } from './rules.ts';
import { enrolText } from './text.ts';

/** Setting up an authenticator app: the key with its first code, then the recovery codes. On the account page and in the sign-in. */
export interface EnrolView {
  readonly document: Pick<Document, 'brand' | 'formTarget' | 'inPopup'> & { readonly locale: Locale };
  /** In base32. */
  readonly key: string;
  /** What the app shows beside the code: the host of the server, and the user. */
  readonly issuer: string;
  readonly username: string;
  /** The form of the first code: its address, and the hidden field that carries the sealed key. */
  readonly action: string;
  readonly sealed: readonly [name: string, value: string];
  readonly isWrong: boolean;
  /** Why the page is shown. */
  readonly intro?: string | undefined;
  /** Other ways, and the way out. */
  readonly after: Html;
}

export async function enrolPage(view: EnrolView): Promise<Reply> {
  const { document, key, isWrong, intro } = view;
  const text = enrolText[document.locale];
  const { wrongCode } = codeText[document.locale];
  const { setUpAuthenticator } = securityText[document.locale];
  const described = isWrong ? html` aria-invalid="true" aria-describedby="error"` : html``;
  const [name, value] = view.sealed;
  return page({
    ...document,
    title: isWrong ? `${wrongCode} · ${setUpAuthenticator}` : setUpAuthenticator,
    status: isWrong ? 400 : 200,
    body: html`
<h1>${setUpAuthenticator}</h1>
${intro !== undefined && html`<p>${intro}</p>\n`}<p>${text.scanCode}</p>
${await qrCode(keyUri(key, view.issuer, view.username), 'QR')}
<p>${text.orTypeKey}<br><code id="totp-key">${key}</code></p>
${keepButtons(document.locale, key, `${view.issuer.replace(/[^\w.-]+/g, '-')}-authenticator-key.txt`)}
${isWrong && html`<p class="alert" role="alert" id="error">${wrongCode}</p>`}
<form method="post" action="${view.action}" data-once>
<input type="hidden" name="${name}" value="${value}">
<label for="code">${text.firstCode}</label>
<div class="field">
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required${described}>
</div>
<button type="submit">${sharedText[document.locale].confirm}</button>
</form>
${view.after}`,
  });
}

export interface RecoveryCodesView {
  readonly document: EnrolView['document'];
  readonly codes: readonly string[];
  /** Where the link leads when the codes are kept. */
  readonly next: string;
}

/** Shown once: the store has only their hashes. */
export function recoveryCodesPage({ document, codes, next }: RecoveryCodesView): Reply {
  const text = enrolText[document.locale];
  const { recoveryCodes } = securityText[document.locale];
  return page({
    ...document,
    title: recoveryCodes,
    body: html`
<h1>${recoveryCodes}</h1>
<p>${text.keepRecoveryCodes}</p>
<ul class="recovery-codes">
${codes.map(code => html`<li><code class="recovery-code">${code}</code></li>\n`)}
</ul>
${keepButtons(document.locale, `${codes.join('\n')}\n`, 'recovery-codes.txt')}
<p><a class="button" href="${next}">${text.codesKept}</a></p>`,
  });
}
