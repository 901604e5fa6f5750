import type { Reply } from '../message.ts';
import { passkeyScript } from '../pages/assets.ts';
import { type Html, html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import type { Locale } from '../pages/locale.ts';
import { textFor } from '../pages/text.ts';
import { timeText } from '../pages/time-text.ts';
import type { Profile } from '../protocol/claims.ts';
import type { Scope } from '../protocol/scope.ts';

export interface AccountView {
  readonly locale: Locale;
  readonly user: Profile;
  readonly offer: Html;
  readonly presentSid: string;
  readonly sessions: readonly { readonly sid: string; readonly authTime: number }[];
  readonly grants: readonly GrantView[];
}

export interface GrantView {
  readonly app: string;
  readonly applicationName: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scope: readonly Scope[];
}

export function accountPage(view: AccountView): Reply {
  const text = textFor(view.locale);
  return page({
    locale: view.locale,
    title: text.accountOf(view.user.username),
    wide: true,
    secondScript: passkeyScript,
    body: html`
<h1>${text.accountOf(view.user.username)}</h1>
${view.offer}<p><a href="/account/security">${text.securityTitle}</a></p>
<h2>${text.sessionsTitle}</h2>
<ul class="rows">
${view.sessions.map(session => sessionRow(view, session))}
</ul>
<h2>${text.accessTitle}</h2>
${view.grants.length === 0 && html`<p>${text.noAccess}</p>`}
<ul class="rows">
${view.grants.map(grant => grantRow(view, grant))}
</ul>`,
  });
}

function sessionRow({ locale, presentSid }: AccountView, { sid, authTime }: AccountView['sessions'][number]): Html {
  const text = textFor(locale);
  const since = new Date(authTime * 1000);
  return html`<li><span>${text.signedInSince} <time datetime="${since.toISOString()}">${timeText(locale, since)}</time>${sid === presentSid && html` · ${text.thisBrowser}`}</span>
<form method="post" action="/account"><input type="hidden" name="end_session" value="${sid}"><button type="submit" class="small">${text.endSession}</button></form></li>
`;
}

function grantRow({ locale }: AccountView, grant: GrantView): Html {
  const text = textFor(locale);
  return html`<li><span><strong>${grant.clientName}</strong> · ${grant.applicationName}<br><span class="muted">${grant.scope.map(scope => text.scopes[scope]).join(' · ')}</span></span>
<form method="post" action="/account"><input type="hidden" name="app" value="${grant.app}"><input type="hidden" name="withdraw" value="${grant.clientId}"><button type="submit" class="small">${text.withdraw}</button></form></li>
`;
}
