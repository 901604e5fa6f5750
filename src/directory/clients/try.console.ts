import { failure } from '../../failures.ts';
import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console/page.ts';
import { copyable, faultSummary, field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import { type Answer, redirect } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Values } from '../fields/form.console.ts';
import { clientFrame, clientPath, redirectUrisOf, withClient } from './frame.console.ts';
import { updateClient } from './operations.ts';
import { beginTrial, callbackOf } from './trial.console.ts';

const words = inLocale({
  en: {
    title: 'Try a login',
    about:
      'You sign in as yourself with this client, come back to a page of the console, and see the tokens that the client would get, decoded and verified. They are revoked before they are shown.',
    noRole: 'Trying a login needs the role operator.',
    noGrant:
      'The client may not use the authorization code grant, so there is no login to try. Allow it in its settings.',
    settings: 'Settings',
    needed: 'The client must know the address of that page among its redirect URIs:',
    register: 'Add this redirect URI',
    registered: 'It has this address among its redirect URIs; remove it in the settings when you no longer need it:',
    scope: 'Scope',
    scopeHint: 'Separated by spaces. Without openid there is no ID token.',
    again: 'Ask for the password again',
    againHint: 'Otherwise you are signed in already, and come back at once unless the client asks for consent.',
    start: 'Sign in with this client',
  },
  zh: {
    title: '试用登录',
    about:
      '您以自己的身份用此客户端登录，返回控制台的页面，查看客户端会得到的令牌（已解码并验证）。令牌在显示前已撤销。',
    noRole: '试用登录需要管理员角色。',
    noGrant: '此客户端不能使用授权码方式，因此无法试用登录。请在设置中允许。',
    settings: '设置',
    needed: '客户端的重定向 URI 中必须包含该页面的地址：',
    register: '添加此重定向 URI',
    registered: '客户端的重定向 URI 中已有此地址；不再需要时请在设置中删除：',
    scope: '范围（scope）',
    scopeHint: '以空格分隔。没有 openid 就没有 ID 令牌。',
    again: '再次要求输入密码',
    againHint: '否则您已经登录，除非客户端要求同意，会立即返回。',
    start: '用此客户端登录',
  },
});

/** …/clients/{client_id}/try: begins a login that ends at /console/try/callback. */
export const clientTry: ConsolePage = {
  place: 'applications',
  show: context => withClient(context, client => view(context, client, NO_FAULTS)),
  submit: (context, form) =>
    withClient(context, client =>
      form.get('action') === 'register' ? register(context, client) : start(context, client, form),
    ),
};

async function register(context: ConsoleContext, client: Values): Promise<View | Answer> {
  const { perform, services } = context;
  const body = { redirect_uris: [...new Set([...redirectUrisOf(client), callbackOf(services)])] };
  const saved = await perform(updateClient, { body }, etagOf(client));
  const next = { path: pathOf(context), notice: 'uriAdded' } as const;
  return answerForm(context, saved, next, faults => view(context, client, faults));
}

function start({ may, services, params }: ConsoleContext, client: Values, form: Params): Answer {
  if (!may('operator')) return { failure: failure('roleTooLow', 'operator') };
  const scope = form.get('scope');
  const asked = {
    ...(scope === undefined ? {} : { scope }),
    ...(form.get('again') === 'true' ? { prompt: 'login' } : {}),
  };
  const { location, cookie } = beginTrial(services, params.code ?? '', String(client.client_id), asked);
  return redirect(location, 303, [cookie]);
}

function pathOf({ params }: ConsoleContext): string {
  return clientPath(params.code ?? '', params.client_id ?? '', 'try');
}

function view(context: ConsoleContext, client: Values, faults: Faults): View {
  const text = words(context.locale);
  const body = html`<section><h2>${text.title}</h2><p>${text.about}</p>${faultSummary(context.locale, faults)}
${next(context, client)}</section>`;
  return clientFrame(context, client, 'try', body, faults.size === 0 ? 200 : 400);
}

function next(context: ConsoleContext, client: Values): Html {
  const { locale, may, params, services } = context;
  const text = words(locale);
  if (!may('operator')) return html`<p>${text.noRole}</p>`;
  if (!(client.grant_types as string[]).includes('authorization_code')) {
    const settings = clientPath(params.code ?? '', String(client.client_id), 'settings');
    return html`<p>${text.noGrant} <a href="${settings}">${text.settings}</a></p>`;
  }
  const callback = callbackOf(services);
  const isRegistered = redirectUrisOf(client).includes(callback);
  const action = isRegistered ? 'start' : 'register';
  return html`<p>${isRegistered ? text.registered : text.needed} ${copyable(locale, callback)}</p>
<form method="post" action="${pathOf(context)}"><input type="hidden" name="action" value="${action}">
${isRegistered && html`${field({ name: 'scope', label: text.scope, hint: text.scopeHint, value: String(client.scope) }, NO_FAULTS)}${field({ name: 'again', label: text.again, hint: text.againHint, kind: 'check' }, NO_FAULTS)}`}<button type="submit">${isRegistered ? text.start : text.register}</button></form>`;
}
