import type { Profile } from '../../directory/users/claims.rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { detailsList, type ShownDetail } from './details.ts';
import { consentText } from './text.ts';

export interface ConsentView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly client: string;
  /** What each scope gives, in words. */
  readonly scope: readonly string[];
  /** What the client wants to do this time (RFC 9396). */
  readonly details: readonly ShownDetail[];
  /** The same scopes, by which the answer says what was shown. */
  readonly shown: string;
  readonly user: Profile;
  readonly pending: string;
  readonly redirectUri: string;
  /** Of a client that nobody has vouched for. */
  readonly warning?: Html | undefined;
  /** Its logo and links. */
  readonly about?: Html | undefined;
}

export function consentPage(view: ConsentView): Reply {
  const text = consentText[view.locale];
  return page({
    locale: view.locale,
    brand: view.brand,
    title: text.consentTitle(view.client),
    inPopup: true,
    formTarget: view.redirectUri,
    body: html`
<h1>${text.consentTitle(view.client)}</h1>
${detailsList(text.consentTo(view.client), view.details)}<p>${text.consentIntro(view.client, view.brand.name, view.user.username)}</p>
<ul>
${view.scope.map(scope => html`<li>${scope}</li>\n`)}
</ul>
${view.warning}
${view.about}
<form method="post" action="/consent" data-once>
<input type="hidden" name="pending" value="${view.pending}">
<input type="hidden" name="sub" value="${view.user.sub}">
<input type="hidden" name="scope" value="${view.shown}">
<button type="submit" name="action" value="allow">${text.allow}</button>
</form>
<form method="post" action="/consent" class="secondary">
<input type="hidden" name="pending" value="${view.pending}">
<button type="submit" name="action" value="deny" class="quiet">${text.deny}</button>
</form>`,
  });
}
