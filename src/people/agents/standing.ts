import { mayEnter } from '../../directory/access/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { FailureName } from '../../failures.ts';
import type { Services } from '../../services.ts';
import { isStopped } from './queries.ts';
import { type Agent, owns } from './rules.ts';

/**
 * What `give` gives, or why an agent gets nothing. Asked before, and again before it leaves: whoever stops the agent in between has ended
 * what was written before, and here nothing leaves that was written after.
 */
export async function givenToAgent<Given>(
  services: Pick<Services, 'store'>,
  application: Application,
  agent: Client & Agent,
  give: () => Promise<Given>,
): Promise<Given | FailureName> {
  const before = await whyNot(services, application, agent);
  if (before) return before;
  const given = await give();
  return (await whyNot(services, application, agent)) ?? given;
}

/** Why an agent may not act. */
export async function whyNot(
  { store }: Pick<Services, 'store'>,
  application: Application,
  agent: Client & Agent,
): Promise<FailureName | undefined> {
  if (await isStopped(store.cold, application.code, agent.client_id)) return 'agentStopped';
  const { owner } = agent;
  // A group has somebody else when one leaves.
  if ('group' in owner) return undefined;
  const account = await store.findAccount(owner.user);
  // The login name may be an address of somebody else.
  const answers = account && !account.disabled && owns(account, owner) && mayEnter(application, account);
  return answers ? undefined : 'agentWithoutOwner';
}
