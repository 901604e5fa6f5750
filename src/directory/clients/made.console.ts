import type { ConsoleContext, View } from '../../operators/console-frame/page.ts';
import { copyable } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { applicationCrumbs } from '../applications/frame.console.ts';
import type { Values } from '../fields/form.console.ts';
import type { Library } from './connect-libraries.console.ts';
import { clientPath } from './frame.console.ts';
import { configured, fitting, folded, instructions } from './instructions.console.ts';
import { newClientText } from './new.console.text.ts';

/** What the operation answers: the client, and its secret if it has one. */
export type Made = Values & {
  readonly client_id: string;
  readonly client_name: string;
  readonly client_secret?: string;
};

/** The answer to the form of a new client: its secret, and the configuration of every library that fits with the secret filled in. */
export async function madeView(context: ConsoleContext, made: Made, library: Library | undefined): Promise<View> {
  const { locale, params } = context;
  const { client_id, client_name, client_secret: secret } = made;
  const text = newClientText[locale];
  const code = params.code ?? '';
  const others = fitting(made).filter(each => each !== library);
  return {
    title: text.made(client_name),
    crumbs: applicationCrumbs(context, code),
    about: copyable(locale, client_id),
    actions: html`<a class="button" href="${clientPath(code, client_id)}">${text.next}</a>`,
    status: 201,
    body: html`<section>${
      secret === undefined
        ? html`<p>${text.noSecret}</p>`
        : html`<h2>${text.secret}</h2><p class="secret">${copyable(locale, secret)}</p><p>${text.once}</p>`
    }</section>
${library && html`<section><h2>${text.configuration(library.label)}</h2>${await configuration(context, made, library)}</section>`}
${others.length > 0 && html`<section><h2>${library ? text.others : text.library}</h2>${await folded(context, made, others, secret)}</section>`}`,
  };
}

async function configuration(context: ConsoleContext, made: Made, library: Library): Promise<Html | false> {
  const found = await configured(context, made, library);
  return found !== undefined && instructions(context, made, found, made.client_secret);
}
