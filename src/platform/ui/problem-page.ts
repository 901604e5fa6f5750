import type { Failure, Failures } from '../../failures.ts';
import type { Refusal, Reply } from '../http/message.ts';
import { commandLine } from '../release.ts';
import { type Html, html } from './html.ts';
import { page } from './layout.ts';
import type { Locale } from './locale.rules.ts';
import { type Problem, problemText } from './problem.text.ts';
import { sharedText } from './text.ts';

/** The page for errors that cannot be sent to a client: a sentence for the user, and a collapsed part for developers. */
export function problemPage(
  refusal: Refusal,
  locale: Locale,
  requestId: string | undefined,
  docsUrl: string,
  failures: Failures,
): Reply {
  const text = problemText[locale];
  const shared = sharedText[locale];
  const { failure } = refusal;
  const problem = refusal.isWithheld ? 'notSentBack' : problemOf(failure);
  const title = refusal.signedInAs === undefined ? text.problemTitle : text.noRoleTitle;
  const cause = failures.get(failure.name);
  const row = (label: string, value: string | undefined) =>
    value !== undefined && html`<dt>${label}</dt><dd lang="en">${value.slice(0, 300)}</dd>`;
  return page({
    locale,
    title,
    inPopup: true,
    status: failure.status,
    retryAfter: refusal.retryAfter,
    body: html`
<div class="brand"><span class="initial trouble" aria-hidden="true">!</span></div>
<h1>${title}</h1>
${refusal.signedInAs !== undefined && html`<p>${text.noRoleAs(refusal.signedInAs)}</p>`}
<p>${text.problems[problem]}</p>
${problem === 'notSignedOut' && html`<p><a href="/logout">${shared.signOut}</a></p>`}
${problem === 'resetLink' && html`<p><a href="/forgot-password">${shared.forgotPassword}</a></p>`}
${refusal.signedInAs !== undefined && anotherAccount(shared.useAnother)}
<details>
<summary>${text.forDevelopers}</summary>
<dl>
<dt><code>${failure.error}</code></dt><dd lang="en">${failure.description}</dd>
${row(text.rule, cause?.cause)}
${row(text.expected, refusal.expected)}
${row(text.received, refusal.received ?? failure.detail)}
${row(text.howToFix, cause?.fix)}
${
  requestId !== undefined &&
  html`<dt>${text.requestId}</dt><dd><code>${requestId}</code></dd>
<dt>${text.explain}</dt><dd><a href="/console/refusals/${encodeURIComponent(requestId)}">${text.explainInConsole}</a> <code>${commandLine()} explain ${requestId}</code></dd>`
}
</dl>
<p><a href="${docsUrl}/${failure.error}">${text.reference}</a></p>
</details>`,
  });
}

/** The value of `action` with which the console begins a sign-in with another account. */
export const ANOTHER_ACCOUNT = 'another';

function anotherAccount(label: string): Html {
  return html`<form method="post" action="/console">
<button type="submit" name="action" value="${ANOTHER_ACCOUNT}">${label}</button>
</form>`;
}

function problemOf(failure: Failure): Problem {
  switch (failure.name) {
    case 'clientUnknown':
    case 'redirectUriUntrusted':
    case 'requestTooLarge':
      return 'notSetUp';
    case 'postLogoutRedirectUriUntrusted':
    case 'logoutClientMismatch':
      return 'notSignedOut';
    case 'methodNotAllowed':
    case 'contentTypeInvalid':
    case 'mediaTypeUnsupported':
    case 'jsonInvalid':
    case 'bodyNotUtf8':
    case 'bodyTooLarge':
    case 'tooManyParameters':
      return 'unreadable';
    case 'operatorNeeded':
      return 'noRole';
    case 'pendingRequestExpired':
      return 'expired';
    case 'mailLinkInvalid':
      return 'mailLink';
    case 'signUpNotAllowed':
      return 'noSignUp';
    case 'resetLinkInvalid':
      return 'resetLink';
    case 'signInNeeded':
      return 'signInAgain';
    case 'formReplayed':
      return 'alreadySent';
    case 'codesExhausted':
      return 'tooManyCodes';
    case 'passkeysOff':
      return 'noPasskeys';
    case 'formFromElsewhere':
      return 'fromElsewhere';
    case 'notFound':
    case 'applicationUnknown':
      return 'notFound';
    case 'storeUnavailable':
    case 'serverBusy':
    case 'hashQueueFull':
    case 'tooManyAttempts':
    case 'tooManyMailRequests':
      return 'tryLater';
    case 'serverError':
      return 'fault';
    default:
      return 'badLink';
  }
}
