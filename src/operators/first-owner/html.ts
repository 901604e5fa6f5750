import { MIN_PASSWORD_LENGTH } from '../../directory/applications/rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { firstOwnerText } from './text.ts';

/** By the name of the field. */
export type FirstOwnerFaults = ReadonlyMap<string, string>;

export interface Typed {
  readonly username: string;
  readonly email: string;
}

interface FirstOwnerView {
  readonly locale: OperatorLocale;
  /** Path and query of the link: the forms are sent there. */
  readonly action: string;
  /** Undefined: not signed in. */
  readonly signedInAs: string | undefined;
  /** What was sent and has a fault; the password is typed again. */
  readonly typed: Typed;
  readonly faults: FirstOwnerFaults | undefined;
}

export function firstOwnerPage(view: FirstOwnerView): Reply {
  const { locale, faults, signedInAs } = view;
  const text = firstOwnerText[locale];
  return page({
    locale,
    title: text.title,
    status: faults ? 400 : 200,
    body: html`
<header class="brand"><span class="initial" aria-hidden="true">G</span><span>Gatehouse</span></header>
<h1>${text.title}</h1>
<p>${text.about}</p>
${signedInAs === undefined ? html`${newUser(view)}\n<h2>${text.existing}</h2>\n${button(view, 'sign-in', text.signIn, 'quiet')}` : html`${button(view, 'become', text.become(signedInAs))}\n<h2>${text.orNew}</h2>\n${newUser(view)}`}`,
  });
}

function button({ action }: FirstOwnerView, value: string, label: string, kind = ''): Html {
  return html`<form method="post" action="${action}" data-once><button type="submit" name="action" value="${value}" class="${kind}">${label}</button></form>`;
}

function newUser({ locale, action, signedInAs, typed, faults = new Map() }: FirstOwnerView): Html {
  const text = firstOwnerText[locale];
  const { showPassword, hidePassword } = sharedText[locale];
  return html`<form method="post" action="${action}" data-once>
<input type="hidden" name="action" value="create">
${field('username', text.username, faults, html` required type="text" autocomplete="username" autocapitalize="none" spellcheck="false" value="${typed.username}"`)}
${field('email', text.email, faults, html` type="email" autocomplete="email" value="${typed.email}"`, text.emailHint)}
${field('password', text.password, faults, html` required type="password" autocomplete="new-password"`, text.passwordHint(MIN_PASSWORD_LENGTH), html` data-reveal data-show="${showPassword}" data-hide="${hidePassword}"`)}
<button type="submit"${signedInAs !== undefined && html` class="quiet"`}>${text.create}</button>
</form>`;
}

function field(
  name: string,
  label: string,
  faults: FirstOwnerFaults,
  attributes: Html,
  hint?: string,
  around: Html = html``,
): Html {
  const fault = faults.get(name);
  const isFirst = [...faults.keys()][0] === name;
  const described = [fault !== undefined && `${name}-fault`, hint !== undefined && `${name}-hint`].filter(Boolean);
  return html`<label for="${name}">${label}</label>
${fault !== undefined && html`<p class="alert" role="alert" id="${name}-fault">${fault}</p>\n`}<div class="field"${around}><input id="${name}" name="${name}"${attributes}${
    fault !== undefined && html` aria-invalid="true"`
  }${isFirst && html` autofocus`}${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}></div>
${hint !== undefined && html`<p class="muted" id="${name}-hint">${hint}</p>`}`;
}
