import { accountPage, faultLine, invalid, time } from '../../people/account/frame.ts';
import { agentsText } from '../../people/agents/text.ts';
import { detailsList, type ShownDetail } from '../../people/consent/details.ts';
import { consentText } from '../../people/consent/text.ts';
import { APPROVALS_PATH } from '../../people/sign-in/progress.ts';
import type { Reply } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { DecisionOutcome } from '../polled-grant/decision.page.ts';
import { MAX_CODE_LENGTH } from './rules.ts';
import { approvalsText } from './text.ts';

interface Shown {
  readonly client: string;
  readonly application: string;
  /** In the words of the client. */
  readonly bindingMessage: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface ListedApproval extends Shown {
  readonly id: string;
}

interface ApprovalsView {
  readonly locale: Locale;
  readonly listed: readonly ListedApproval[];
  /** Undefined: the person has set no approval code. */
  readonly codeSetAt: number | undefined;
  /** The code that was sent cannot be one. */
  readonly isCodeInvalid: boolean;
}

export function approvalsPage({ locale, listed, codeSetAt, isCodeInvalid }: ApprovalsView): Reply {
  const text = approvalsText[locale];
  const list = html`<ul class="rows">
${listed.map(each => row(locale, each))}</ul>`;
  return accountPage({
    locale,
    place: 'approvals',
    title: text.title,
    fault: isCodeInvalid ? text.codeFault : undefined,
    content: html`<p>${text.intro}</p>
${listed.length === 0 ? html`<p>${text.none}</p>` : list}
${codeSection(locale, codeSetAt, isCodeInvalid)}`,
  });
}

function codeSection(locale: Locale, setAt: number | undefined, isInvalid: boolean): Html {
  const text = approvalsText[locale];
  return html`<h2>${text.code}</h2>
<p>${text.codeIntro}</p>
${setAt !== undefined && html`<p>${text.codeSet} ${time(locale, setAt)}</p>\n`}<form method="post" action="${APPROVALS_PATH}">
<label for="approval_code">${text.newCode}</label>
<div class="field">
<input id="approval_code" name="approval_code" type="password" autocomplete="off" maxlength="${MAX_CODE_LENGTH}" required${isInvalid && invalid('approval_code')}>
${faultLine('approval_code', isInvalid ? text.codeFault : undefined)}<p class="muted">${text.codeHint}</p>
</div>
<button type="submit" name="action" value="set_code" class="small">${setAt === undefined ? text.setCode : text.replaceCode}</button>
</form>
${setAt !== undefined && html`<form method="post" action="${APPROVALS_PATH}"><button type="submit" name="action" value="remove_code" class="small">${text.removeCode}</button></form>`}`;
}

function row(locale: Locale, { id, client, application, bindingMessage, ...shown }: ListedApproval): Html {
  const text = approvalsText[locale];
  return html`<li><span><strong>${client}</strong> · ${application}<br>
${bindingMessage !== undefined && html`${bindingMessage}<br>\n`}<span class="muted">${text.at} ${time(locale, shown.createdAt)} · ${text.until} ${time(locale, shown.expiresAt)}</span></span>
<a class="button small" href="${APPROVALS_PATH}?${encodeParams([['request', id]])}">${text.look}</a></li>
`;
}

export interface ApprovalView extends Shown {
  readonly locale: Locale;
  readonly brand: Brand;
  /** What each scope gives, in words. */
  readonly scope: readonly string[];
  /** It acts by itself, and the person answers for it. */
  readonly isAgent: boolean;
  /** What the client wants to do this time (RFC 9396). */
  readonly details: readonly ShownDetail[];
  /** The same scopes and details, by which the answer says what was shown. */
  readonly shown: string;
  readonly user: { readonly sub: string; readonly username: string };
  readonly pending: string;
  /** The client's logo and links. */
  readonly about?: Html | undefined;
}

export function approvalPage(view: ApprovalView): Reply {
  const { locale, brand, client, application, bindingMessage, user } = view;
  const text = approvalsText[locale];
  const about = view.isAgent ? agentsText[locale] : text;
  const { allow, deny, consentTo } = consentText[locale];
  return page({
    locale,
    brand,
    title: text.question(client),
    body: html`
<h1>${text.question(client)}</h1>
<p>${about.asks(client, application)}</p>
${view.about}
${bindingMessage !== undefined && html`<p>${text.message}</p>\n<p class="user-code">${bindingMessage}</p>\n`}${detailsList(consentTo(client), view.details)}${view.scope.length > 0 && html`<p>${text.asksFor}</p>\n<ul>\n${view.scope.map(scope => html`<li>${scope}</li>\n`)}</ul>\n`}<dl>
<dt>${text.at}</dt><dd>${time(locale, view.createdAt)}</dd>
<dt>${text.until}</dt><dd>${time(locale, view.expiresAt)}</dd>
<dt>${text.account}</dt><dd>${user.username}</dd>
</dl>
<p>${about.warning}</p>
${decisionForm(view, 'allow', html`<button type="submit" name="action" value="allow">${allow}</button>`)}
${decisionForm(view, 'deny', html`<button type="submit" name="action" value="deny" class="quiet">${deny}</button>`)}`,
  });
}

function decisionForm({ pending, user, shown }: ApprovalView, action: 'allow' | 'deny', button: Html): Html {
  const look = action === 'allow' ? html` data-once` : html` class="secondary"`;
  return html`<form method="post" action="${APPROVALS_PATH}"${look}>
<input type="hidden" name="pending" value="${pending}">
<input type="hidden" name="sub" value="${user.sub}">
<input type="hidden" name="scope" value="${shown}">
${button}
</form>`;
}

/** `over`: nothing waits any more; `gone`: its client is not there any more; `unknown`: it is not one of this person. */
export type ApprovalEnd = DecisionOutcome | 'over' | 'gone' | 'unknown';

interface EndView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly client: string;
}

export function endPage({ locale, brand, client }: EndView, end: ApprovalEnd): Reply {
  const text = approvalsText[locale];
  const account = html`<a href="/account/access">${text.yourAccount}</a>`;
  const [heading, content] = {
    done: [text.done, text.doneText(client, account)],
    denied: [text.denied, text.deniedText(client)],
    decided: [text.decided, text.decidedText(account)],
    cancelled: [text.cancelled, text.cancelledText],
    over: [text.over, text.overText],
    gone: [text.gone, text.goneText],
    unknown: [text.unknown, text.unknownText],
  }[end] as [string, Html | string];
  return page({
    locale,
    brand,
    title: heading,
    status: STATUS[end] ?? 200,
    body: html`
<h1>${heading}</h1>
<p>${content}</p>
<p><a href="${APPROVALS_PATH}">${text.all}</a></p>`,
  });
}

const STATUS: Readonly<Partial<Record<ApprovalEnd, number>>> = { over: 410, gone: 410, unknown: 404 };
