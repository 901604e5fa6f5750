import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { accountPage, browserText, time } from '../account/frame.ts';
import { sessionsText } from './text.ts';

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
  const text = sessionsText[locale];
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
  const text = sessionsText[locale];
  return html`<li><span><strong>${browserText(locale, session.userAgent)}</strong>${isPresent && html` · ${text.here}`}<br>
<span class="muted">${session.address !== undefined && html`${session.address} · `}${text.first} ${time(locale, session.firstSeen)} · ${text.last} ${time(locale, session.lastSeen)}</span></span>
<form method="post" action="/account/sessions"><input type="hidden" name="end_session" value="${session.sid}"><button type="submit" class="small">${text.end}</button></form></li>
`;
}
