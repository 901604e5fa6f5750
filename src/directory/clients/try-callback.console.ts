import { failure } from '../../failures.ts';
import { createProofSigner } from '../../oauth/dpop/proof-signer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console/page.ts';
import { field, pill } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Values } from '../fields/form.console.ts';
import { clientPath, codeBlock } from './frame.console.ts';
import { getClient } from './operations.ts';
import {
  askUserinfo,
  type Checks,
  checkAccessToken,
  checkIdToken,
  decode,
  exchange,
  isJwt,
  revokeTokens,
  type TokenSet,
  type Trial,
  trialOf,
} from './trial.console.ts';

const words = inLocale({
  en: {
    applications: 'Applications',
    title: 'What the client gets',
    noTrial:
      'No login is being tried in this browser, or it was more than ten minutes ago. Begin on the page of the client.',
    refused: 'The login ended with an error',
    exchangeRefused: 'The code was not exchanged',
    again: 'Try again',
    secretTitle: 'One step is left',
    secretText:
      'The client requires its secret for the exchange of the code. The server keeps only a hash of it, so type it here. It is not stored.',
    secret: 'Secret of the client',
    exchange: 'Exchange the code',
    revoked: 'The login works. The tokens below were issued, checked and revoked: they are of no use any more.',
    idToken: 'ID token',
    accessToken: 'Access token',
    opaque: 'Opaque: an API asks the introspection endpoint what it is worth.',
    userinfo: 'userinfo',
    others: 'The rest of the answer',
    noIdToken: 'There is no ID token: the scope has no openid.',
    noUserinfo: 'userinfo refuses this token.',
    header: 'Header',
    claims: 'Claims',
    raw: 'As it was sent',
    passed: 'right',
    failed: 'wrong',
    checks: {
      signature: 'signed by a key of this application',
      iss: 'iss is the issuer',
      aud: 'aud is this client',
      nonce: 'nonce is that of the request',
      exp: 'not expired',
      at_hash: 'at_hash fits the access token',
    },
  },
  zh: {
    applications: '应用',
    title: '客户端得到的内容',
    noTrial: '此浏览器没有正在试用的登录，或已超过十分钟。请从客户端的页面开始。',
    refused: '登录以错误结束',
    exchangeRefused: '授权码未能兑换',
    again: '再试一次',
    secretTitle: '还差一步',
    secretText: '此客户端兑换授权码时要求密钥。服务器只保存其散列值，请在此输入。不会保存。',
    secret: '客户端密钥',
    exchange: '兑换授权码',
    revoked: '登录成功。下面的令牌已签发、检查并撤销，不再有效。',
    idToken: 'ID 令牌',
    accessToken: '访问令牌',
    opaque: '不透明：API 向内省端点查询其效力。',
    userinfo: 'userinfo',
    others: '应答的其余部分',
    noIdToken: '没有 ID 令牌：范围中没有 openid。',
    noUserinfo: 'userinfo 拒绝此令牌。',
    header: '头部',
    claims: '声明',
    raw: '原文',
    passed: '正确',
    failed: '错误',
    checks: {
      signature: '由此应用的密钥签名',
      iss: 'iss 是签发者',
      aud: 'aud 是此客户端',
      nonce: 'nonce 与请求一致',
      exp: '未过期',
      at_hash: 'at_hash 与访问令牌相符',
    },
  },
});

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
    return { ...frame(context, undefined, html`<section><p>${words(locale).noTrial}</p></section>`), status: 400 };
  const { app, clientId } = trial;
  // With the rights of the operator, who may be limited to other applications.
  const client = await perform<Values>(getClient, { params: { code: app, client_id: clientId } });
  if (client.kind !== 'done') return refusalOf(client);
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

function frame({ locale }: ConsoleContext, trial: Trial | undefined, body: Html): View {
  const text = words(locale);
  const applications = [text.applications, '/console/applications'] as const;
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
  const text = words(context.locale);
  const body = html`<section><h2>${text[what]}</h2><p><code>${error}</code> ${description}</p>
<p><a class="button" href="${clientPath(trial.app, trial.clientId, 'try')}">${text.again}</a></p></section>`;
  return { ...frame(context, trial, body), status: 400 };
}

function secretForm(context: ConsoleContext, trial: Trial, code: string, faults: Faults): View {
  const text = words(context.locale);
  const secret = { name: 'secret', label: text.secret, kind: 'password', required: true } as const;
  const body = html`<section><h2>${text.secretTitle}</h2><p>${text.secretText}</p>
<form method="post" action="/console/try/callback"><input type="hidden" name="code" value="${code}"><input type="hidden" name="state" value="${trial.state}">
${field(secret, faults)}<button type="submit">${text.exchange}</button></form></section>`;
  return { ...frame(context, trial, body), status: faults.size === 0 ? 200 : 400 };
}

async function result(context: ConsoleContext, trial: Trial, tokens: TokenSet, claims: unknown): Promise<View> {
  const { locale, services } = context;
  const text = words(locale);
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
  const text = words(context.locale);
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
  return html`<details><summary>${words(context.locale).raw}</summary>${codeBlock(context, token)}</details>`;
}

function json(context: ConsoleContext, value: unknown): Html {
  return codeBlock(context, JSON.stringify(value, null, 2));
}
