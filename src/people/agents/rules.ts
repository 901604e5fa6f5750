import { groupsOf, type Membership } from '../../directory/access/rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Actor } from '../../oauth/token-exchange/rules.ts';

/** Who answers for an agent: one user, or everybody in a group. */
export type AgentOwner = { readonly user: string } | { readonly group: string };

/** Of a client that acts by itself, such as an assistant, and for which somebody answers. */
export interface Agent {
  readonly client_type: 'agent';
  readonly owner: AgentOwner;
}

interface Typed {
  readonly client_id: string;
  readonly client_type?: 'agent' | undefined;
}

/** The schema asks for the owner of an agent (`agentFaults`). */
export function isAgent<Of extends Typed>(client: Of): client is Of & Agent {
  return client.client_type === 'agent';
}

/** Whether its code needs more than the verifier: an agent proves who it is. */
export function provesItself(client: Typed & { readonly require_client_authentication: boolean }): boolean {
  return client.require_client_authentication || isAgent(client);
}

/** RFC 8693 section 4.1: an API sees by `act` that an agent made the request, for whomever. Undefined: it is no agent. */
export function agentActor(client: Typed | undefined): Actor | undefined {
  return client && isAgent(client) ? { sub: client.client_id, client_id: client.client_id } : undefined;
}

/** The agent is the last one who acted, unless the token already says who did. */
export function actorOf(client: Typed | undefined, known: Actor | undefined): Actor | undefined {
  return known ?? agentActor(client);
}

interface Person {
  readonly username: string;
  readonly membership?: Membership | undefined;
}

/** User names are compared as login names are, groups character by character. */
export function owns(person: Person, owner: AgentOwner): boolean {
  return 'user' in owner ? loginName(person.username) === owner.user : groupsOf(person).includes(owner.group);
}

/** What does not fit together, by field. */
export function agentFaults(
  client: { readonly [Name in keyof Agent]?: Agent[Name] | undefined } & {
    readonly token_endpoint_auth_method: string;
  },
): [string, string][] {
  const { client_type, owner, token_endpoint_auth_method: method } = client;
  if (client_type !== 'agent') return owner === undefined ? [] : [['owner', 'is for client_type agent alone']];
  const faults: [string, string][] = [];
  if (owner === undefined) faults.push(['owner', 'must say who answers for the agent: { user } or { group }']);
  if (method === 'none')
    faults.push(['token_endpoint_auth_method', 'cannot be none: an agent has a key, a certificate or a secret']);
  return faults;
}
