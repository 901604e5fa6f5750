import { failure } from '../../failures.ts';
import type { ExchangePolicy } from '../../oauth/token-exchange/rules.ts';
import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import type { NoticeName } from '../../operators/console-frame/notices.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { confirmByName, copyable, faultSummary } from '../../operators/console-frame/parts.ts';
import { consoleText } from '../../operators/console-frame/text.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { html } from '../../platform/ui/html.ts';
import { applicationCrumbs, applicationPath } from '../applications/frame.console.ts';
import { getApplication, updateApplication } from '../applications/operations.ts';
import type { Values } from '../fields/form.console.ts';
import { apisText, apiText } from './console.text.ts';
import {
  type ApiValues,
  apiBody,
  apiFaults,
  apiFields,
  CHANGEABLE,
  OF_NEW_API,
  repeatedScope,
  shownApi,
  typedApi,
} from './form.console.ts';
import { type Api, findApi } from './rules.ts';

/** /console/applications/{code}/apis/new */
export const newApi: ConsolePage = {
  place: 'applications',
  show: context => withApis(context, etag => newView(context, etag, {}, NO_FAULTS)),
  submit: (context, form) =>
    withApis(context, (etag, apis) => {
      const typed = typedApi(form);
      const added = [...apis, { identifier: typed.identifier, ...apiBody(typed) }];
      const again = (faults: Faults) => newView(context, etag, typed, faults);
      return saveAll(context, form, added, { notice: 'created', again, typed });
    }),
};

/** /console/applications/{code}/apis/{identifier}: its settings, and its end. */
export const api: ConsolePage = {
  place: 'applications',
  dangerous: { except: [''] },
  show: context => withApi(context, (etag, one) => view(context, etag, one, shownApi(one), NO_FAULTS)),
  submit: (context, form) =>
    withApi(context, (etag, one, apis) =>
      form.get('action') === 'delete' ? remove(context, form, etag, one, apis) : save(context, form, etag, one, apis),
    ),
};

/** What the form does not have stays as it is. */
function save(context: ConsoleContext, form: Params, etag: string, one: Api, apis: readonly Api[]) {
  const typed = typedApi(form);
  const changed = apis.map(each => (each === one ? { ...each, ...apiBody(typed) } : each));
  const again = (faults: Faults) => view(context, etag, one, typed, faults);
  return saveAll(context, form, changed, { notice: 'saved', again, typed });
}

function remove(context: ConsoleContext, form: Params, etag: string, one: Api, apis: readonly Api[]) {
  const again = (faults: Faults) => view(context, etag, one, shownApi(one), faults);
  if (form.get('confirm') !== one.identifier) return again(new Map([['confirm', apiText[context.locale].wrongName]]));
  const rest = apis.filter(each => each !== one);
  return saveAll(context, form, rest, { notice: 'deleted', again, typed: {}, without: one.identifier });
}

interface Saving {
  readonly notice: NoticeName;
  readonly typed: ApiValues;
  /** The API that is removed: the policies of token exchange that name it go with it. */
  readonly without?: string;
  again(faults: Faults): View;
}

/** The list is one field of the application: who has seen another list than the present one does not change it. */
async function saveAll(
  context: ConsoleContext,
  form: Params,
  apis: readonly object[],
  { notice, again, typed, without }: Saving,
): Promise<View | Answer> {
  const repeated = repeatedScope(context.locale, typed);
  if (repeated) return again(repeated);
  const policies = without === undefined ? {} : await policiesWithout(context, without);
  const saved = await context.perform(
    updateApplication,
    { params: applicationParams(context), body: { apis, ...policies } },
    form.get('etag'),
  );
  return answerForm(context, saved, { path: pathOf(context), notice }, faults => again(apiFaults(faults)));
}

async function policiesWithout(context: ConsoleContext, identifier: string): Promise<object> {
  const found = await context.perform<Values>(getApplication, { params: applicationParams(context) });
  const policies = (found.kind === 'done' ? (found.value.token_exchange ?? []) : []) as readonly ExchangePolicy[];
  const left = policies.filter(({ from, to }) => from !== identifier && to !== identifier);
  return left.length === policies.length ? {} : { token_exchange: left };
}

type Shown = View | Answer | Promise<View | Answer>;

async function withApis(
  context: ConsoleContext,
  show: (etag: string, apis: readonly Api[]) => Shown,
): Promise<View | Answer> {
  const found = await context.perform<Values>(getApplication, { params: applicationParams(context) });
  if (found.kind !== 'done') return refusalOf(found);
  return show(etagOf(found.value), (found.value.apis ?? []) as readonly Api[]);
}

function withApi(
  context: ConsoleContext,
  show: (etag: string, one: Api, apis: readonly Api[]) => Shown,
): Promise<View | Answer> {
  return withApis(context, (etag, apis) => {
    const one = findApi({ apis }, context.params.identifier ?? '');
    return one ? show(etag, one, apis) : { failure: failure('notFound') };
  });
}

const applicationParams = ({ params: { code = '' } }: ConsoleContext) => ({ code });
const pathOf = ({ params: { code = '' } }: ConsoleContext) => applicationPath(code, 'apis');
const crumbs = (context: ConsoleContext) => applicationCrumbs(context, context.params.code ?? '', 'apis');

function newView(context: ConsoleContext, etag: string, values: ApiValues, faults: Faults): View {
  const { locale } = context;
  const text = apiText[locale];
  return {
    title: apisText[locale].create,
    crumbs: crumbs(context),
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><form method="post">${faultSummary(locale, faults)}
<input type="hidden" name="etag" value="${etag}">
${apiFields(locale, OF_NEW_API, values, faults)}<button type="submit">${text.create}</button></form></section>`,
  };
}

function view(context: ConsoleContext, etag: string, one: Api, values: ApiValues, faults: Faults): View {
  const { locale, may } = context;
  const text = apiText[locale];
  const canChange = may('operator');
  const confirm = { etag };
  return {
    title: one.name,
    crumbs: crumbs(context),
    about: copyable(locale, one.identifier),
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><form method="post">${faultSummary(locale, faults)}
<input type="hidden" name="etag" value="${etag}">
${apiFields(locale, CHANGEABLE, values, faults)}${canChange && html`<button type="submit">${consoleText[locale].save}</button>`}</form></section>
${canChange && html`<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, one.identifier, 'delete', text.removeButton, faults, confirm)}</section>`}`,
  };
}
