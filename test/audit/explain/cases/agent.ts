import { basic, token } from '../../../build/client.ts';
import { signedIn } from '../../../build/people.ts';
import { formWith } from '../../../build/visitor.ts';
import type { Case, World } from './world.ts';

const asking = ({ server }: World, client: string) =>
  token(server, { grant_type: 'client_credentials' }, { auth: basic(client, 'web-secret-1') });

/** What is refused to agents, because of their owners. */
export const agentCases: readonly Case[] = [
  {
    row: 'agentStopped',
    name: 'an agent that its owner has stopped',
    refuse: async world => {
      const owner = await signedIn(world.server);
      const page = await owner.follow(`${world.server.base}/account/agents`);
      await owner.send(formWith(page, 'stop" value="buyer'));
      return asking(world, 'buyer');
    },
    ...{ client: 'buyer', failed: 'owner of the agent' },
    received: /the agent buyer/,
    kinds: ['stopped'],
    difference: /by the user alice.*agent\.stopped/,
    fix: /\/account\/agents/,
  },
  {
    row: 'agentWithoutOwner',
    name: 'an agent whose owner is no user any more',
    refuse: world => asking(world, 'orphan'),
    ...{ client: 'orphan', failed: 'owner of the agent' },
    received: /owner is the user nobody/,
    kinds: ['no-owner'],
    fix: /a group/,
  },
];
