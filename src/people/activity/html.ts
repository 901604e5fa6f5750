import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { accountPage, browserText, time } from '../account/frame.ts';
import { activityText } from './text.ts';

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
  const text = activityText[locale];
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
    ? [activityText[locale].byOperator]
    : [row.address, row.address === undefined ? undefined : browserText(locale, row.userAgent)];
  const about = [row.place, ...by].filter(each => each !== undefined).join(' · ');
  return html`<li><span><strong>${row.text}</strong><br>
<span class="muted">${time(locale, row.time)}${about !== '' && html` · ${about}`}</span></span></li>
`;
}
