import { failure } from '../../failures.ts';
import { createProofSigner } from '../../oauth/dpop/proof-signer.ts';
import { etagOf } from '../../operators/api/operation.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { field, pill } from '../../operators/console-frame/parts.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { applicationsPlace } from '../applications/console.text.ts';
import type { Values } from '../fields/form.console.ts';
import { clientPath, codeBlock, redirectUrisOf } from './frame.console.ts';
import { getClient, updateClient } from './operations.ts';
import {
  askUserinfo,
  type Checks,
  callbackOf,
  checkAccessToken,
  checkIdToken,
  decode,
  exchange,
  isJwt,
  revokeTokens,
  type TokenSet,
  type Trial,
  trialOf,
  withoutCallback,
} from './trial.console.ts';
import { tryCallbackText } from './try.console.text.ts';

/** /console/try/callback: where a login of …/try ends. Only an operator sees what came of it. */
export const tryCallback: ConsolePage = {
  place: 'applications',
  show: context => receive(context, context.query, undefined),
  submit: (context, form) => receive(context, form, form.get('secret')),
};

async function receive(context: ConsoleContext, response: Params, secret: string | undefined): Promise<View | Answer> {
  const { may, perform, services, request, locale } = context;
  if (!may('operator')) return { failure: failure('roleTooLow', 'operator') };
  const trial = trialOf(context, response);
  if (!trial)
    return {
      ...frame(context, undefined, html`<section><p>${tryCallbackText[locale].noTrial}</p></section>`),
      status: 400,
    };
  const { app, clientId } = trial;
  // With the rights of the operator, who may be limited to other applications.
  const client = await perform<Values>(getClient, { params: { code: app, client_id: clientId } });
  if (client.kind !== 'done') return refusalOf(client);
  await endRegistration(context, trial, client.value);
  const application = await services.registry.application(app);
  if (!application) return { failure: failure('objectUnknown', 'application') };
  const error = response.get('error');
  if (error !== undefined) return failed(context, trial, 'refused', error, response.get('error_description'));
  const code = response.get('code');
  if (code === undefined) return failed(context, trial, 'refused', 'code', undefined);
  const method = client.value.token_endpoint_auth_method;
  // A client that signs has a key that no operator can type: then the exchange is refused, and the page says so.
  const sendsSecret = method === 'client_secret_basic' || method === 'client_secret_post';
  const needsSecret = client.value.require_client_authentication === true && sendsSecret;
  if ((needsSecret && secret === undefined) || request.method === 'HEAD')
    return secretForm(context, trial, code, NO_FAULTS);
  // A key for this trial alone: the client has its own.
  const prove = client.value.dpop_bound_access_tokens === true ? createProofSigner(services) : undefined;
  const tokens = await exchange(context, application, trial, code, { method, secret, prove });
  if ('failure' in tokens) {
    // The code is still good: another secret can be typed.
    const faults = new Map([['secret', tokens.failure.description]]);
    if (needsSecret && tokens.failure.status === 401) return secretForm(context, trial, code, faults);
    return failed(context, trial, 'exchangeRefused', tokens.failure.error, tokens.failure.description);
  }
  const shown = await result(context, trial, tokens, await askUserinfo(context, application, tokens, prove));
  await revokeTokens(context, application, trial, tokens);
  return shown;
}

/** The browser has come back: nothing else needs the address. A code that was issued keeps its own. */
async function endRegistration(
  { perform, services, request }: ConsoleContext,
  { app, clientId }: Trial,
  client: Values,
) {
  if (request.method === 'HEAD' || !redirectUrisOf(client).includes(callbackOf(services))) return;
  const params = { code: app, client_id: clientId };
  // Changed meanwhile: it stays, and the page of the trial offers to remove it.
  await perform(updateClient, { params, body: withoutCallback(services, client) }, etagOf(client));
}

function frame({ locale }: ConsoleContext, trial: Trial | undefined, body: Html): View {
  const text = tryCallbackText[locale];
  const applications = [applicationsPlace[locale], '/console/applications'] as const;
  const above = trial && [
    [trial.app, `/console/applications/${encodeURIComponent(trial.app)}`] as const,
    [trial.clientId, clientPath(trial.app, trial.clientId, 'try')] as const,
  ];
  return { title: text.title, crumbs: [applications, ...(above ?? [])], body };
}

function failed(
  context: ConsoleContext,
  trial: Trial,
  what: 'refused' | 'exchangeRefused',
  error: string,
  description: string | undefined,
): View {
  const text = tryCallbackText[context.locale];
  const body = html`<section><h2>${text[what]}</h2><p><code>${error}</code> ${description}</p>
<p><a class="button" href="${clientPath(trial.app, trial.clientId, 'try')}">${text.again}</a></p></section>`;
  return { ...frame(context, trial, body), status: 400 };
}

function secretForm(context: ConsoleContext, trial: Trial, code: string, faults: Faults): View {
  const text = tryCallbackText[context.locale];
  const secret = { name: 'secret', label: text.secret, kind: 'password', required: true } as const;
  const body = html`<section><h2>${text.secretTitle}</h2><p>${text.secretText}</p>
<form method="post" action="/console/try/callback"><input type="hidden" name="code" value="${code}"><input type="hidden" name="state" value="${trial.state}">
${field(secret, faults)}<button type="submit">${text.exchange}</button></form></section>`;
  return { ...frame(context, trial, body), status: faults.size === 0 ? 200 : 400 };
}

async function result(context: ConsoleContext, trial: Trial, tokens: TokenSet, claims: unknown): Promise<View> {
  const { locale, services } = context;
  const text = tryCallbackText[locale];
  const { id_token: idToken, access_token: accessToken, refresh_token: _, ...others } = tokens;
  const idChecks = idToken === undefined ? undefined : await checkIdToken(services, trial, tokens, idToken);
  const accessChecks = await checkAccessToken(services, trial, accessToken);
  const body = html`<p class="notice" role="status">${text.revoked}</p>
<section><h2>${text.idToken}</h2>${idToken === undefined ? html`<p>${text.noIdToken}</p>` : html`${tokenPart(context, idToken, idChecks)}${rawToken(context, idToken)}`}</section>
<section><h2>${text.accessToken}</h2>${tokenPart(context, accessToken, accessChecks)}</section>
<section><h2>${text.userinfo}</h2>${claims === undefined ? html`<p>${text.noUserinfo}</p>` : json(context, claims)}</section>
<section><h2>${text.others}</h2>${json(context, others)}</section>`;
  return frame(context, trial, body);
}

function tokenPart(context: ConsoleContext, token: string, checks: Checks | undefined): Html {
  const text = tryCallbackText[context.locale];
  if (!isJwt(token)) return html`<p>${text.opaque}</p>${codeBlock(context, token)}`;
  const { header, payload } = decode(token);
  const list = (checks ?? []).map(
    ([name, passed]) =>
      html`<li>${pill(passed ? 'ok' : 'bad', passed ? text.passed : text.failed)} ${text.checks[name]}</li>\n`,
  );
  return html`<ul class="checks">${list}</ul>
<h3>${text.claims}</h3>${json(context, payload)}<h3>${text.header}</h3>${json(context, header)}`;
}

/** Not of a JWT access token: an API that verifies the signature alone accepts it until it expires, revoked or not. */
function rawToken(context: ConsoleContext, token: string): Html {
  return html`<details><summary>${tryCallbackText[context.locale].raw}</summary>${codeBlock(context, token)}</details>`;
}

function json(context: ConsoleContext, value: unknown): Html {
  return codeBlock(context, JSON.stringify(value, null, 2));
}
