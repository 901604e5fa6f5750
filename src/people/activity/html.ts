import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { accountPage, browserText, time } from '../account/frame.ts';

const words = {
  en: {
    title: 'What happened in your account',
    intro: (days: number) =>
      `The last ${days} days, the newest first. If something was not you, change your password and end your sessions.`,
    none: 'Nothing has happened yet.',
    byOperator: 'by an administrator',
    older: 'Older',
  },
  zh: {
    title: '账户活动记录',
    intro: (days: number) => `最近 ${days} 天的记录，最新的在前。如果某项不是您本人操作，请更改密码并结束登录会话。`,
    none: '还没有任何活动。',
    byOperator: '由管理员操作',
    older: '更早的记录',
  },
} as const;

export interface ActivityRow {
  readonly text: string;
  readonly time: number;
  /** Where it happened. */
  readonly place: string | undefined;
  /** Whoever did it for the user: then neither address nor browser are the user's. */
  readonly isByOperator: boolean;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

interface ActivityView {
  readonly locale: Locale;
  readonly days: number;
  readonly rows: readonly ActivityRow[];
  /** The id of the last event, where there may be more. */
  readonly next: string | undefined;
}

export function activityPage({ locale, days, rows, next }: ActivityView): Reply {
  const text = words[locale];
  const older =
    next !== undefined &&
    html`<p><a href="/account/activity?${encodeParams([['before', next]])}">${text.older}</a></p>`;
  return accountPage({
    locale,
    place: 'activity',
    title: text.title,
    content: html`<p>${text.intro(days)}</p>
${rows.length === 0 ? html`<p>${text.none}</p>` : html`<ul class="rows">\n${rows.map(row => rowOf(locale, row))}</ul>`}
${older}`,
  });
}

function rowOf(locale: Locale, row: ActivityRow): Html {
  const by = row.isByOperator
    ? [words[locale].byOperator]
    : [row.address, row.address === undefined ? undefined : browserText(locale, row.userAgent)];
  const about = [row.place, ...by].filter(each => each !== undefined).join(' · ');
  return html`<li><span><strong>${row.text}</strong><br>
<span class="muted">${time(locale, row.time)}${about !== '' && html` · ${about}`}</span></span></li>
`;
}
