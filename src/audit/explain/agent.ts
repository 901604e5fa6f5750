import type { AgentOwner } from '../../people/agents/rules.ts';
import type { Topic } from './explanation.ts';

const PAGE = '/account/agents';

function ownerText(owner: AgentOwner | undefined): string {
  if (owner === undefined) return 'its owner';
  return 'group' in owner ? `somebody in the group ${owner.group}` : `the user ${owner.user}`;
}

export const agentStopped: Topic = ({ client }) => ({
  expected: 'an agent that its owner lets act',
  received: `the agent ${client?.client_id ?? ''}`,
  difference: {
    kinds: ['stopped'],
    text: `It was stopped at ${PAGE} by ${ownerText(client?.owner)}. The event agent.stopped says when, and by whom.`,
  },
  fix: `Ask the owner, who can start it again at ${PAGE}. A change of the client does not start it.`,
});

export const agentWithoutOwner: Topic = ({ client, app }) => ({
  expected: `an agent whose owner may sign in to the application ${app}`,
  received: `the agent ${client?.client_id ?? ''}, whose owner is ${ownerText(client?.owner)}`,
  difference: {
    kinds: ['no-owner'],
    text: 'There is no user of this user name, or the user is disabled, or the setting access of the application does not admit the user.',
  },
  fix: 'Name another owner in the settings of the client, or a group, which has somebody else when one leaves.',
});
