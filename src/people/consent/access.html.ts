import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { accountPage, time } from '../account/frame.ts';

const words = {
  en: {
    title: 'Who has access',
    intro:
      'These applications can see something of your account. If you withdraw the access, they are signed out at once.',
    none: 'You have not given access to anybody.',
    since: 'Since',
    agreed: 'you agreed to it',
    open: 'Open',
    withdraw: 'Withdraw access',
  },
  zh: {
    title: '谁有访问权限',
    intro: '以下应用可以查看您账户的部分信息。撤销授权后，它们会立即失去访问权限。',
    none: '您还没有授予任何访问权限。',
    since: '开始于',
    agreed: '您已同意',
    open: '打开',
    withdraw: '撤销授权',
  },
} as const;

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

export function accessPage(locale: Locale, access: readonly AccessView[]): Reply {
  const text = words[locale];
  const content =
    access.length === 0
      ? html`<p>${text.none}</p>`
      : html`<p>${text.intro}</p>\n<ul class="rows">\n${access.map(each => row(locale, each))}</ul>`;
  return accountPage({ locale, place: 'access', title: text.title, content });
}

function row(locale: Locale, access: AccessView): Html {
  const text = words[locale];
  return html`<li><span><strong>${access.clientName}</strong> · ${access.applicationName}<br>
<span class="muted">${access.scope.join(' · ')}<br>
${text.since} ${time(locale, access.since)}${access.isAgreed && html` · ${text.agreed}`}${access.startUrl !== undefined && html`<br>\n<a href="${access.startUrl}" rel="noreferrer">${text.open} ${access.clientName}</a>`}</span></span>
<form method="post" action="/account/access"><input type="hidden" name="app" value="${access.app}"><input type="hidden" name="withdraw" value="${access.clientId}"><button type="submit" class="small">${text.withdraw}</button></form></li>
`;
}
