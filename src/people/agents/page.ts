import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { isUserScope, type Scope } from '../../oauth/token/scope.rules.ts';
import type { Answer, Request } from '../../platform/http/message.ts';
import type { Handler, Services } from '../../services.ts';
import { presentSession, toPlace } from '../account/frame.ts';
import { scopeTexts } from '../consent/scope-text.ts';
import { localeOf } from '../second-factor/page.ts';
import { senderOf } from '../sessions/page.ts';
import type { LiveSession } from '../sessions/store.ts';
import { type AgentView, agentsPage } from './html.ts';
import { agentsOwnedBy, isOwnedBy } from './owned.ts';
import { type OwnedAgent, startAgent, stopAgent } from './queries.ts';

/** /account/agents: the agents that a person answers for, alone or in a group; what each may, and a button that stops it. */
const PATH = '/account/agents';

const MAX_LISTED = 200;

export const showAgents: Handler = async (services, request) => {
  const session = await presentSession(services, request, PATH);
  if ('status' in session) return session;
  const owned = await agentsOwnedBy(services, session.user, MAX_LISTED);
  return agentsPage(localeOf(request), await Promise.all(owned.map(each => inWords(services, request, each))));
};

async function inWords({ registry }: Services, request: Request, owned: OwnedAgent): Promise<AgentView> {
  const { app, agent, stoppedAt } = owned;
  const application = await registry.application(app);
  return {
    ...{ app, stoppedAt, clientId: agent.client_id, name: agent.client_name },
    applicationName: application?.name ?? app,
    group: 'group' in agent.owner ? agent.owner.group : undefined,
    scope: scopeTexts(localeOf(request), application ?? {}, standingScope(application ?? {}, agent)),
  };
}

/** For itself an agent gets scopes of APIs alone (oauth/client-credentials/grant.ts). */
function standingScope(application: Parameters<typeof isUserScope>[0], { scope, grant_types }: Client): Scope[] {
  const isGiven = grant_types.includes('client_credentials');
  return scope.filter(one => isGiven && !isUserScope(application, one));
}

export const submitAgents: Handler = async (services, request) => {
  const session = await senderOf(services, request);
  return 'failure' in session ? session : decide(services, request, session);
};

/** A form that names an agent of somebody else changes nothing. */
async function decide(services: Services, request: Request, { user }: LiveSession): Promise<Answer> {
  const { form } = request;
  const stops = form.get('stop');
  const clientId = stops ?? form.get('start') ?? '';
  const app = form.get('app') ?? '';
  if (await isOwnedBy(services, user, app, clientId)) {
    const type = stops === undefined ? 'agent.started' : 'agent.stopped';
    const who = { outcome: 'success', actor: userActor(user.sub), app, clientId } as const;
    const event = requestEvent(services, request, { type, ...who, subject: user.sub });
    const change = stops === undefined ? startAgent : stopAgent;
    await change(services.store.cold, app, clientId, event);
  }
  return toPlace(services, PATH);
}
