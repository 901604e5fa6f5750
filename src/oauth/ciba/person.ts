import { mayEnter } from '../../directory/access/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import { failure } from '../../failures.ts';
import { isAgent, owns } from '../../people/agents/rules.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { countTypedCode } from '../../platform/throttle/all-nodes.ts';
import type { Services } from '../../services.ts';
import { readIdTokenHint } from '../pairwise/id-token-hint.ts';
import { type NamedPerson, readLoginHintToken } from './login-hint-token.ts';
import type { Hint } from './request.rules.ts';

/**
 * The person whom a client names (section 7.1). Somebody unknown, disabled or without access to the application is the same to the client
 * (section 13), which learns so at all: so its mistakes are counted before anybody is looked up, on all nodes together.
 */
export async function findPerson(
  services: Services,
  application: Application,
  client: Client,
  hint: Hint | undefined,
): Promise<{ readonly user: Profile } | Refusal> {
  if (!hint) return findOwner(services, client);
  const named = await readHint(services, application, client, hint);
  if ('failure' in named) return named;
  const { client_id: clientId } = client;
  const attempt = { kind: 'loginHint', app: application.code, clientId } as const;
  const counted = await countTypedCode(services, attempt, limits => [
    { key: `${application.code} ${clientId} login hints`, ...limits.loginHint, isCommon: true },
  ]);
  if (counted.kind === 'refused') return { failure: failure('tooManyLoginHints'), retryAfter: counted.wait };
  const user = await lookUp(services, named);
  if (!user || user.disabled || !mayEnter(application, user) || !isAnswerable(client, user))
    return { failure: failure('unknownUserId') };
  await counted.succeeded();
  return { user };
}

/** An agent asks whoever answers for it, and nobody else. */
function isAnswerable(client: Client, user: Profile): boolean {
  return !isAgent(client) || owns(user, client.owner);
}

/** Whether the owner may sign in at all was asked before (people/agents/standing.ts). Of a group, one has to be named. */
async function findOwner({ store }: Services, client: Client): Promise<{ readonly user: Profile } | Refusal> {
  const user = isAgent(client) && 'user' in client.owner ? await store.findAccount(client.owner.user) : undefined;
  return user ? { user } : { failure: failure('backchannelHintNeeded') };
}

function lookUp({ store }: Services, named: NamedPerson) {
  if ('sub' in named) return store.findUser(named.sub);
  const name = loginName(named.loginName);
  return name === undefined ? undefined : store.findAccount(name);
}

async function readHint(
  services: Services,
  application: Application,
  client: Client,
  { kind, text }: Hint,
): Promise<NamedPerson | Refusal> {
  if (kind === 'login_hint') return { loginName: text };
  if (kind === 'login_hint_token') return readLoginHintToken(services, application, client, text);
  // It was issued to this very client: another one would tell about its users.
  const read = await readIdTokenHint(services, application, text);
  return read?.clientId === client.client_id
    ? { sub: read.sub }
    : { failure: failure('parameterInvalid', 'id_token_hint') };
}
