import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Request } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { dateText } from '../../platform/ui/time-text.ts';
import type { Services } from '../../services.ts';
import { browserName } from '../known-browsers/browser-name.rules.ts';
import type { TrustedBrowser } from './store.ts';
import { trustedBrowsersText } from './text.ts';

/** Nothing where the user trusts none. */
export function trustedBrowsersSection(locale: Locale, browsers: readonly TrustedBrowser[]): Html {
  if (browsers.length === 0) return html``;
  const text = trustedBrowsersText[locale];
  return html`<section>
<h2>${text.title}</h2>
<p>${text.intro}</p>
<ul class="rows">
${browsers.map(browser => row(locale, browser))}</ul>
</section>
`;
}

function row(locale: Locale, { id, userAgent, createdAt, expiresAt }: TrustedBrowser): Html {
  const text = trustedBrowsersText[locale];
  const { browser, system } = browserName(userAgent);
  const name = [browser, system].filter(part => part !== undefined).join(' · ') || text.unknown;
  return html`<li><span>${name}<br><span class="muted">${text.since} ${day(locale, createdAt)} · ${text.until} ${day(locale, expiresAt)}</span></span>
<form method="post" action="/account/security"><input type="hidden" name="browser" value="${id}"><button type="submit" name="action" value="distrust_browser" class="small" aria-label="${text.withdrawFrom(name)}">${text.withdraw}</button></form></li>
`;
}

function day(locale: Locale, seconds: number): Html {
  const time = new Date(seconds * 1000);
  return html`<time datetime="${time.toISOString()}">${dateText(locale, time)}</time>`;
}

export async function distrustBrowser(services: Services, request: Request, sub: string, id: string): Promise<void> {
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  const event = requestEvent(services, request, { type: 'browser.distrusted', ...who });
  await services.store.distrustBrowser(sub, id, event);
}
