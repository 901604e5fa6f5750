import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { accountPage, time } from '../account/frame.ts';
import { accessText } from './text.ts';

export interface AccessView {
  readonly app: string;
  readonly applicationName: string;
  readonly clientId: string;
  readonly clientName: string;
  /** What each scope gives, in words. */
  readonly scope: readonly string[];
  readonly since: number;
  readonly isAgreed: boolean;
  /** Where a login at the client begins; undefined: it does not say. */
  readonly startUrl: string | undefined;
}

export function accessPage(locale: Locale, access: readonly AccessView[], ownsAgents: boolean): Reply {
  const text = accessText[locale];
  const content =
    access.length === 0
      ? html`<p>${text.none}</p>\n`
      : html`<p>${text.intro}</p>\n<ul class="rows">\n${access.map(each => row(locale, each))}</ul>
`;
  const agents = html`<p><a href="/account/agents">${text.agents}</a></p>`;
  return accountPage({ locale, place: 'access', title: text.title, content: html`${content}${ownsAgents && agents}` });
}

function row(locale: Locale, access: AccessView): Html {
  const text = accessText[locale];
  return html`<li><span><strong>${access.clientName}</strong> · ${access.applicationName}<br>
<span class="muted">${access.scope.join(' · ')}<br>
${text.since} ${time(locale, access.since)}${access.isAgreed && html` · ${text.agreed}`}${access.startUrl !== undefined && html`<br>\n<a href="${access.startUrl}" rel="noreferrer">${text.open(access.clientName)}</a>`}</span></span>
<form method="post" action="/account/access"><input type="hidden" name="app" value="${access.app}"><input type="hidden" name="withdraw" value="${access.clientId}"><button type="submit" class="small">${text.withdraw}</button></form></li>
`;
}
