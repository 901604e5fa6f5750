import { detailsList, type ShownDetail } from '../../people/consent/details.ts';
import { consentText } from '../../people/consent/text.ts';
import { DEVICE_PATH } from '../../people/sign-in/progress.ts';
import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import type { DecisionOutcome } from '../polled-grant/decision.page.ts';
import { deviceText } from './text.ts';

export type CodeFault =
  | { readonly kind: 'missing' | 'wrong' }
  | { readonly kind: 'throttled'; readonly retryAfter: number };

interface EnterView {
  readonly locale: Locale;
  /** From the address, or what was typed. */
  readonly code: string;
  readonly fault?: CodeFault | undefined;
}

const SERVER: Brand = { name: 'Gatehouse' };

export function enterCodePage({ locale, code, fault }: EnterView): Reply {
  const text = deviceText[locale];
  const message = fault && faultText(locale, fault);
  const isFilled = code !== '' && !fault;
  const described = html` aria-describedby="${fault ? 'error hint' : 'hint'}"${fault && html` aria-invalid="true"`}`;
  return page({
    locale,
    brand: SERVER,
    title: message === undefined ? text.title : `${message} · ${text.title}`,
    status: fault ? STATUS[fault.kind] : 200,
    retryAfter: fault && 'retryAfter' in fault ? fault.retryAfter : undefined,
    body: html`
<h1>${text.title}</h1>
<p>${isFilled ? text.check : text.intro}</p>
${message !== undefined && html`<p class="alert" role="alert" id="error">${message}</p>`}
<form method="post" action="${DEVICE_PATH}" data-once>
<label for="user_code">${text.code}</label>
<div class="field">
<input id="user_code" name="user_code" type="text" class="typed-code" value="${code}" autocomplete="off" autocapitalize="characters" spellcheck="false" required${!isFilled && html` autofocus`}${described}>
<p class="muted" id="hint">${text.hint}</p>
</div>
<button type="submit"${isFilled && html` autofocus`}>${sharedText[locale].continue}</button>
</form>`,
  });
}

const STATUS = { missing: 400, wrong: 400, throttled: 429 } as const;

function faultText(locale: Locale, fault: CodeFault): string {
  return fault.kind === 'throttled'
    ? sharedText[locale].tooManyAttempts(fault.retryAfter)
    : deviceText[locale][fault.kind];
}

export interface QuestionView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly client: string;
  /** As the device shows it. */
  readonly userCode: string;
  readonly address: string;
  readonly requestedAt: number;
  /** What each scope gives, in words. */
  readonly scope: readonly string[];
  /** What the device wants to do this time (RFC 9396). */
  readonly details: readonly ShownDetail[];
  /** The same scopes and details, by which the answer says what was shown. */
  readonly shown: string;
  readonly user: { readonly sub: string; readonly username: string };
  readonly pending: string;
  /** Of a client that nobody has vouched for. */
  readonly clientWarning?: Html | undefined;
  /** The client's logo and links. */
  readonly about?: Html | undefined;
}

export function questionPage(view: QuestionView): Reply {
  const { locale, client, brand, user } = view;
  const text = deviceText[locale];
  const { allow, deny, consentTo } = consentText[locale];
  const { useAnother } = sharedText[locale];
  const requested = new Date(view.requestedAt * 1000);
  return page({
    locale,
    brand,
    title: text.connect(client),
    body: html`
<h1>${text.connect(client)}</h1>
<p>${text.asks(client, brand.name)}</p>
${view.clientWarning}
${view.about}
<p>${text.compare}</p>
<p class="user-code">${view.userCode}</p>
<p>${text.warning}</p>
<dl>
<dt>${text.from}</dt><dd>${view.address}</dd>
<dt>${text.at}</dt><dd><time datetime="${requested.toISOString()}">${timeText(locale, requested)}</time></dd>
<dt>${text.account}</dt><dd>${user.username}</dd>
</dl>
${detailsList(consentTo(client), view.details)}${view.scope.length > 0 && html`<p>${text.asksFor}</p>\n<ul>\n${view.scope.map(scope => html`<li>${scope}</li>\n`)}</ul>\n`}${decisionForm(view, 'allow', html`<button type="submit" name="action" value="allow">${allow}</button>`)}
${decisionForm(view, 'deny', html`<button type="submit" name="action" value="deny" class="quiet">${deny}</button>`)}
${decisionForm(view, 'another', html`<button type="submit" name="action" value="another" class="quiet">${useAnother}</button>`)}`,
  });
}

function decisionForm(
  { pending, user, shown }: QuestionView,
  action: 'allow' | 'deny' | 'another',
  button: Html,
): Html {
  const look = action === 'allow' ? html` data-once` : html` class="secondary"`;
  return html`<form method="post" action="${DEVICE_PATH}"${look}>
<input type="hidden" name="pending" value="${pending}">
<input type="hidden" name="sub" value="${user.sub}">
<input type="hidden" name="scope" value="${shown}">
${button}
</form>`;
}

interface OutcomeView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly client: string;
}

export function outcomePage({ locale, brand, client }: OutcomeView, outcome: DecisionOutcome): Reply {
  const text = deviceText[locale];
  const account = html`<a href="/account/access">${text.yourAccount}</a>`;
  const [heading, content] = {
    done: [text.connected, html`<p>${text.goBack(client)}</p>\n<p>${text.manage(account)}</p>`],
    denied: [text.denied, html`<p>${text.deniedText}</p>`],
    decided: [text.decided, html`<p>${text.decidedText(account)}</p>`],
    cancelled: [text.denied, html`<p>${text.cancelled}</p>\n<p><a href="${DEVICE_PATH}">${text.again}</a></p>`],
  }[outcome] as [string, Html];
  return page({ locale, brand, title: heading, body: html`\n<h1>${heading}</h1>\n${content}` });
}
