import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { accountPage, browserText, time } from '../account/frame.ts';

const words = {
  en: {
    title: 'Where you are signed in',
    intro: 'Signing out here also ends what the applications got from that session.',
    here: 'this browser',
    first: 'First sign-in',
    last: 'last used',
    end: 'Sign out',
    endOthers: 'Sign out everywhere else',
    more: (count: number) => `And ${count} older ones.`,
  },
  zh: {
    title: '您的登录会话',
    intro: '在此退出登录，也会结束各应用从该会话获得的访问权限。',
    here: '当前浏览器',
    first: '首次登录',
    last: '最近使用',
    end: '退出登录',
    endOthers: '退出所有其他会话',
    more: (count: number) => `以及 ${count} 个更早的会话。`,
  },
} as const;

export interface SessionView {
  readonly sid: string;
  readonly userAgent: string | undefined;
  readonly address: string | undefined;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

interface SessionsView {
  readonly locale: Locale;
  readonly presentSid: string;
  readonly sessions: readonly SessionView[];
  /** Sessions that are not listed. */
  readonly more: number;
}

export function sessionsPage({ locale, presentSid, sessions, more }: SessionsView): Reply {
  const text = words[locale];
  return accountPage({
    locale,
    place: 'sessions',
    title: text.title,
    content: html`<p>${text.intro}</p>
<ul class="rows">
${sessions.map(session => row(locale, session, session.sid === presentSid))}</ul>
${more > 0 && html`<p class="muted">${text.more(more)}</p>\n`}${sessions.length > 1 && endOthers(text.endOthers)}`,
  });
}

function endOthers(label: string): Html {
  return html`<form method="post" action="/account/sessions"><button type="submit" name="action" value="end_others" class="small">${label}</button></form>`;
}

function row(locale: Locale, session: SessionView, isPresent: boolean): Html {
  const text = words[locale];
  return html`<li><span><strong>${browserText(locale, session.userAgent)}</strong>${isPresent && html` · ${text.here}`}<br>
<span class="muted">${session.address !== undefined && html`${session.address} · `}${text.first} ${time(locale, session.firstSeen)} · ${text.last} ${time(locale, session.lastSeen)}</span></span>
<form method="post" action="/account/sessions"><input type="hidden" name="end_session" value="${session.sid}"><button type="submit" class="small">${text.end}</button></form></li>
`;
}
