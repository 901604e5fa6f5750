import { isClientIdUrl } from '../../directory/client-id-metadata/rules.ts';
import { responseModes } from '../../oauth/authorize/response-mode.rules.ts';
import { CLIENT_ASSERTION_TYPE } from '../../oauth/client-authentication/client-assertion.rules.ts';
import { ID_JAG_TYPE } from '../../oauth/identity-assertions/names.rules.ts';
import { everyScope } from '../../oauth/token/scope.rules.ts';
import { exchangeTokenTypes } from '../../oauth/token-exchange/rules.ts';
import { header, type Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Authorization, Parameter, Received, Value } from '../explain/snapshot.ts';
import { hide, showUri, showWords } from './mask.ts';

export interface Recognition {
  /** Whether the text is the name of a client of the application. */
  isClient(text: string): boolean;
  /** The scopes of the application. */
  readonly scopes: readonly string[];
  /** The scope that was refused, if it may be shown (failures.ts). */
  readonly scope: string | undefined;
  readonly grantTypes: readonly string[];
  /** What the issuers of this server begin with. */
  readonly issuerPrefix: string;
}

type Show = (text: string, recognition: Recognition) => Value;

const words =
  (...known: readonly string[]): Show =>
  text =>
    showWords(text, known);

const hidden: Show = (text, { issuerPrefix }) => hide(text, issuerPrefix);
/** Of a wrong password even the length would tell something about the right one. */
const unmeasured: Show = () => ({ hidden: 'text' });
const uri: Show = text => showUri(text);
const clientName: Show = (text, { isClient }) => {
  if (isClient(text)) return { shown: text };
  return isClientIdUrl(text) ? showUri(text) : hide(text);
};
const number: Show = text => (/^-?[\d.]{1,12}$/.test(text) ? { shown: text } : hide(text));

/** RFC 8693 section 3. */
const TOKEN_TYPES = [
  ...exchangeTokenTypes,
  ID_JAG_TYPE,
  ...['refresh_token', 'id_token', 'saml1', 'saml2'].map(type => `urn:ietf:params:oauth:token-type:${type}`),
];

/** Of other servers. */
const OTHER_GRANT_TYPES = ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'urn:openid:params:grant-type:ciba'];

/** The parameters of every endpoint and page, and how much of each may be kept. Others are not kept at all. */
const SHOW: Readonly<Record<string, Show>> = {
  response_type: words('code', 'token', 'id_token', 'none'),
  response_mode: words(...responseModes, 'web_message'),
  client_id: clientName,
  redirect_uri: uri,
  post_logout_redirect_uri: uri,
  scope: (text, { scope, scopes }) => showWords(text, [...everyScope, ...scopes], scope),
  resource: uri,
  audience: uri,
  subject_token_type: words(...TOKEN_TYPES),
  actor_token_type: words(...TOKEN_TYPES),
  requested_token_type: words(...TOKEN_TYPES),
  prompt: words('none', 'login', 'consent', 'select_account', 'create'),
  max_age: number,
  code_challenge_method: words('S256', 'plain'),
  grant_type: (text, { grantTypes }) => showWords(text, [...grantTypes, ...OTHER_GRANT_TYPES]),
  client_assertion_type: words(CLIENT_ASSERTION_TYPE, 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'),
  username: unmeasured,
  password: unmeasured,
  token_type_hint: words('access_token', 'refresh_token', 'id_token'),
  action: words('allow', 'deny', 'cancel', 'continue', 'another', 'passkey'),
  ...Object.fromEntries(
    [
      'state nonce code_challenge login_hint idp_hint id_token_hint claims acr_values ui_locales request request_uri display',
      'code code_verifier refresh_token client_secret client_assertion token access_token pending',
      'gatehouse_pending passkey enrolment dpop_jkt device_code user_code subject_token actor_token assertion',
      'auth_req_id login_hint_token binding_message client_notification_token',
    ].flatMap(names => names.split(' ').map(name => [name, hidden])),
  ),
};

/** What was received, masked. Only for refusals that are kept. */
export function receivedOf(request: Request, recognition: Recognition): Received {
  const params: Record<string, Parameter> = {};
  for (const [name, show] of Object.entries(SHOW)) {
    const inQuery = valueIn(request.queryParams, name, show, recognition);
    const inBody = valueIn(request.form, name, show, recognition);
    const value = inBody ?? inQuery;
    if (value) params[name] = { value, in: inBody && inQuery ? 'both' : inBody ? 'body' : 'query' };
  }
  const origin = header(request, 'origin');
  return {
    params,
    contentType: mediaType(header(request, 'content-type')),
    bodyLength: Number(header(request, 'content-length') ?? request.body.length) || undefined,
    queryLength: request.query.length || undefined,
    authorization: authorizationOf(header(request, 'authorization'), recognition),
    origin: origin !== undefined && /^[a-z]+:\/\/[\w.:[\]-]{1,200}$|^null$/i.test(origin) ? origin : undefined,
    site: ['same-origin', 'same-site', 'cross-site', 'none'].find(site => site === header(request, 'sec-fetch-site')),
  };
}

function valueIn(params: Params, name: string, show: Show, recognition: Recognition): Value | undefined {
  const value = params.get(name);
  if (value !== undefined) return show(value, recognition);
  const fault = params.fault([name]);
  if (fault) return { fault: fault.kind === 'duplicated' ? 'repeated' : 'malformed' };
  return params.isEmpty(name) ? { fault: 'empty' } : undefined;
}

/** Without its parameters, which no endpoint looks at. */
function mediaType(contentType: string | undefined): string | undefined {
  return /^[a-z]+\/[a-z0-9.+-]{1,60}/i.exec(contentType ?? '')?.[0].toLowerCase();
}

function authorizationOf(authorization: string | undefined, recognition: Recognition): Authorization | undefined {
  if (!authorization) return undefined;
  const [, scheme = '', credentials = ''] = /^(\S+)\s*([\s\S]*)$/.exec(authorization) ?? [];
  const tokenScheme = (['Bearer', 'DPoP'] as const).find(name => name.toLowerCase() === scheme.toLowerCase());
  if (tokenScheme) {
    const fault = credentials === '' || /\s/.test(credentials.trim()) ? 'token' : undefined;
    return { scheme: tokenScheme, fault, secret: hide(credentials, recognition.issuerPrefix) };
  }
  return /^basic$/i.test(scheme) ? basic(credentials, recognition) : { scheme: 'other' };
}

function basic(credentials: string, recognition: Recognition): Authorization {
  if (!/^[A-Za-z0-9+/_-]+=* *$/.test(credentials)) return { scheme: 'Basic', fault: 'encoding' };
  const text = Buffer.from(credentials, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return { scheme: 'Basic', fault: 'colon' };
  return {
    scheme: 'Basic',
    fault: colon === 0 ? 'clientId' : undefined,
    client: clientName(text.slice(0, colon), recognition),
    secret: hide(text.slice(colon + 1)),
  };
}
