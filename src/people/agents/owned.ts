import { groupsOf } from '../../directory/access/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Services } from '../../services.ts';
import { agentsOf, type OwnedAgent } from './queries.ts';
import { type AgentOwner, isAgent, owns } from './rules.ts';

/** The agents that a person answers for, alone or in a group, of all applications. */
export async function agentsOwnedBy(
  { store }: Pick<Services, 'store'>,
  user: Profile,
  limit: number,
): Promise<OwnedAgent[]> {
  const name = loginName(user.username);
  const owners: AgentOwner[] = [
    ...(name === undefined ? [] : [{ user: name }]),
    ...groupsOf(user).map(group => ({ group })),
  ];
  const found = await agentsOf(store.cold, owners, limit);
  return found.filter(({ agent }) => owns(user, agent.owner));
}

/** Whether this is one of them, however many there are. */
export async function isOwnedBy(
  { registry }: Pick<Services, 'registry'>,
  user: Profile,
  app: string,
  clientId: string,
): Promise<boolean> {
  const client = await registry.client(app, clientId);
  return client !== undefined && isAgent(client) && owns(user, client.owner);
}
