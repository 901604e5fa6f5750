import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { firstOwnerText } from './text.ts';

/** By the name of the field. */
export type FirstOwnerFaults = ReadonlyMap<string, string>;

interface FirstOwnerView {
  readonly locale: OperatorLocale;
  /** Path and query of the link: the forms are sent there. */
  readonly action: string;
  /** Undefined: not signed in. */
  readonly signedInAs: string | undefined;
  /** The user name that was sent and has a fault. */
  readonly typed: string;
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
  return html`<form method="post" action="${action}" data-once>
<input type="hidden" name="action" value="create">
${field('username', text.username, faults, html` type="text" autocomplete="username" autocapitalize="none" spellcheck="false" value="${typed}"`)}
${field('password', text.password, faults, html` type="password" autocomplete="new-password"`)}
<button type="submit"${signedInAs !== undefined && html` class="quiet"`}>${text.create}</button>
</form>`;
}

function field(name: string, label: string, faults: FirstOwnerFaults, attributes: Html): Html {
  const fault = faults.get(name);
  return html`<label for="${name}">${label}</label>
${fault !== undefined && html`<p class="alert" role="alert" id="${name}-fault">${fault}</p>\n`}<div class="field"><input id="${name}" name="${name}" required${attributes}${fault !== undefined && html` aria-invalid="true" aria-describedby="${name}-fault" autofocus`}></div>`;
}
