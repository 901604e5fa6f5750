import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, failure, scopeFailure } from '../../failures.ts';
import { isAgent } from '../../people/agents/rules.ts';
import type { RequestedAcr } from '../../people/sign-in/acr.rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { PARAMETER } from '../authorization-details/rules.ts';
import { voluntaryAcr } from '../authorize/claims-request.rules.ts';
import {
  approvableScope,
  type RichAccess,
  readRichAccess,
  undecodableResource,
} from '../token/requested-access.rules.ts';
import { expiryOf, isBindingMessage, isNotificationToken } from './rules.ts';

const hints = ['login_hint', 'id_token_hint', 'login_hint_token'] as const;

/** Which person is to be asked, in one of three ways. */
export interface Hint {
  readonly kind: (typeof hints)[number];
  readonly text: string;
}

/** The parameters of a backchannel request (section 7.1), beside those that authenticate the client. */
export const backchannelParameters: readonly string[] = [
  ...hints,
  ...[
    'scope',
    'client_notification_token',
    'acr_values',
    'binding_message',
    'user_code',
    'requested_expiry',
    PARAMETER,
  ],
];

export interface BackchannelParams {
  /** Undefined: an agent asks its owner. */
  readonly hint: Hint | undefined;
  readonly access: RichAccess;
  readonly acr: RequestedAcr | undefined;
  readonly bindingMessage: string | undefined;
  readonly userCode: string | undefined;
  readonly expirySeconds: number;
  /** Of a client in the mode ping. */
  readonly notificationToken: string | undefined;
}

export function readBackchannelParams(
  params: Params,
  client: Client,
  application: Application,
): BackchannelParams | Failure {
  const undecodable = undecodableResource(params, application);
  if (undecodable) return undecodable;
  const scope = params.get('scope');
  if (scope === undefined) return failure('parameterMissing', 'scope');
  if (!scope.split(' ').includes('openid')) return scopeFailure('openid');
  const asking = { ...client, scope: approvableScope(client, application) };
  const access = readRichAccess(params, asking, application);
  if ('error' in access) return access;
  const [hint, ...more] = hints.flatMap(kind => hintIn(params, kind));
  if ((!hint && !isAgent(client)) || more.length > 0) return failure('backchannelHintNeeded');
  const bindingMessage = params.get('binding_message');
  const isEmpty = params.isEmpty('binding_message');
  if (isEmpty || (bindingMessage !== undefined && !isBindingMessage(bindingMessage))) {
    return failure('bindingMessageInvalid');
  }
  const expirySeconds = expiryOf(params.get('requested_expiry'));
  if (expirySeconds === undefined) return failure('parameterInvalid', 'requested_expiry');
  const notificationToken = notificationTokenIn(params, client);
  if (typeof notificationToken === 'object') return notificationToken;
  const acr = voluntaryAcr(params.get('acr_values')?.split(' '));
  return { hint, access, acr, bindingMessage, userCode: params.get('user_code'), expirySeconds, notificationToken };
}

function hintIn(params: Params, kind: Hint['kind']): Hint[] {
  const text = params.get(kind);
  return text === undefined ? [] : [{ kind, text }];
}

/** Needed in the mode ping; in the mode poll nobody would use it. */
function notificationTokenIn(params: Params, client: Client): string | undefined | Failure {
  if (client.backchannel_token_delivery_mode !== 'ping') return undefined;
  const token = params.get('client_notification_token');
  if (token === undefined) return failure('parameterMissing', 'client_notification_token');
  return isNotificationToken(token) ? token : failure('parameterInvalid', 'client_notification_token');
}
