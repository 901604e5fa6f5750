import type { Reply } from '../../platform/http/message.ts';
import { consoleScript, consoleSearch, consoleStylesheet, consoleTimes } from '../../platform/ui/assets.ts';
import { Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { doneNotice } from './notices.ts';
import type { ConsoleContext, ConsolePage, View } from './page.ts';
import { phoneBar, rail } from './rail.ts';
import { searchDialog } from './search-page.ts';
import { consoleText } from './text.ts';

/** The frame of every page of the console (docs/look.md): rail, title with one primary action, content. */
export async function consolePage(
  context: ConsoleContext,
  { place }: ConsolePage,
  view: View,
  cookies: string[],
): Promise<Reply> {
  const { locale } = context;
  const nav = await rail(context, place);
  const reply = page({
    locale,
    title: `${titleOf(locale, view)} · Gatehouse`,
    script: consoleScript,
    stylesheet: consoleStylesheet,
    modules: [consoleTimes, consoleSearch],
    fetches: true,
    frame: body => html`<body class="console">
<a class="skip" href="#content">${consoleText[locale].skip}</a>
${phoneBar(locale)}
${nav}
<main id="content" tabindex="-1">
${body}
</main>
${searchDialog(context)}
</body>`,
    body: html`${crumbs(view)}<header class="head"><div><div class="title"><h1>${view.title}</h1>${view.chips}</div>${view.about && html`<div class="about">${view.about}</div>`}</div>${view.actions}</header>
${doneNotice(context)}${focusedOnFault(view.body)}`,
    ...(view.status === undefined ? {} : { status: view.status }),
    formTarget: view.formTarget,
  });
  return cookies.length === 0 ? reply : { ...reply, headers: { ...reply.headers, 'set-cookie': cookies } };
}

/** A reader who does not see the page hears its title first. */
function titleOf(locale: OperatorLocale, { title, status = 200 }: View): string {
  return status >= 400 ? consoleText[locale].faultTitle(title) : title;
}

/** What gets the focus after a faulty form, in this order: the first field with a fault, or the sentence above the form. */
const FAULT_MARKS = ['aria-invalid="true"', 'role="alert" tabindex="-1"'];

/** A form does not know whether another one with a fault stands before it; the page does. Inserted values have no plain quotation marks. */
function focusedOnFault({ text }: Html): Html {
  const mark = FAULT_MARKS.find(each => text.includes(each));
  return new Html(mark === undefined ? text : text.replace(mark, `${mark} autofocus`));
}

function crumbs({ crumbs: above = [] }: View): Html | false {
  if (above.length === 0) return false;
  return html`<div class="crumbs">${above.map(([name, path]) => html`<a href="${path}">${name}</a> / `)}</div>`;
}
