import type { Reply } from '../../platform/http/message.ts';
import { commandLine } from '../../platform/release.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { DEMO } from '../demo/demo.ts';
import type { OwnClient } from './own-clients.ts';
import { frontDoorText } from './text.ts';

interface FrontView {
  readonly locale: Locale;
  /** Undefined: not signed in. */
  readonly username: string | undefined;
  readonly isOperator: boolean;
  /** Where the user can go on to. */
  readonly clients: readonly OwnClient[];
  readonly hasOwner: boolean;
  /** Whether the API reference can be read. */
  readonly hasReference: boolean;
  /** Undefined: there is no demo. */
  readonly demoUrl: string | undefined;
}

const ADD_OWNER = `${commandLine()} operators add USERNAME --role owner`;

export function frontPage(view: FrontView): Reply {
  const text = frontDoorText[view.locale];
  const isStranger = view.username === undefined;
  return page({
    locale: view.locale,
    title: 'Gatehouse',
    body: html`
<header class="brand"><span class="initial" aria-hidden="true">G</span><span>Gatehouse</span></header>
<h1>${view.username === undefined ? text.about : text.signedInAs(view.username)}</h1>
${!view.hasOwner && withoutOwner(view)}
${view.demoUrl !== undefined && demo(view, view.demoUrl)}
${view.clients.length > 0 && clientList(view)}
<ul class="doors">
${view.isOperator && door('/console', text.console, text.consoleAbout)}${door('/account', text.account, text.accountAbout)}${isStranger && door('/console', text.console, text.forOperators)}</ul>
<p class="muted">${!isStranger && html`<a href="/logout">${text.signOut}</a> · `}${view.hasReference && html`<a href="/docs/api">${text.reference}</a> · `}<a href="/docs/errors">${text.errors}</a></p>`,
  });
}

function clientList({ locale, clients }: FrontView): Html {
  return html`<h2>${frontDoorText[locale].clients}</h2>
<ul>
${clients.map(({ name, url }) => html`<li><a href="${url}" rel="noreferrer">${name}</a></li>\n`)}</ul>`;
}

function door(path: string, name: string, about: string): Html {
  return html`<li><a href="${path}"><strong>${name}</strong></a><br><span class="muted">${about}</span></li>\n`;
}

function withoutOwner({ locale }: FrontView): Html {
  const text = frontDoorText[locale];
  return html`<h2>${text.ownerTitle}</h2>
<p>${text.ownerText}</p>
<div class="paste"><pre>${ADD_OWNER}</pre></div>`;
}

function demo({ locale }: FrontView, url: string): Html {
  const text = frontDoorText[locale];
  return html`<h2>${text.demoTitle}</h2>
<ol>${text.demoSteps(DEMO.username).map(step => html`<li>${step}</li>`)}</ol>
<p><a class="button" href="${url}">${text.demoButton}</a></p>`;
}
