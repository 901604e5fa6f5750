import { BUILT_IN_APPLICATION, MCP_PATH, MCP_PROPOSE, MCP_READ } from '../../directory/applications/built-in.rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, header, json, type Refusal, type Request } from '../../platform/http/message.ts';
import { ISSUER } from '../../platform/http/route.ts';
import type { Handler, Services } from '../../services.ts';
import { authenticateFor } from '../api/authenticate.ts';
import { type Caller, requestOrigin } from '../api/caller.ts';
import type { McpContext } from './context.ts';
import { PROPOSING } from './propose.ts';
import { answerMessage, type Message, readMessage } from './protocol.ts';

/** /mcp and its metadata. protocol.ts has the messages, tools.ts what can be called. */

/** RFC 9728 section 2. Where no operator was made yet, there is no application that could issue a token. */
export const resourceMetadata: Handler = async ({ config: { baseUrl } }) =>
  json({
    resource: resourceOf(baseUrl),
    authorization_servers: [baseUrl + ISSUER.replace('{app}', BUILT_IN_APPLICATION)],
    scopes_supported: [MCP_READ, MCP_PROPOSE],
    bearer_methods_supported: ['header'],
    resource_name: 'Gatehouse admin API',
  });

export const mcpRequest: Handler = async (services, request) => {
  const { baseUrl } = services.config;
  // A page of another site must not speak through a browser of the machine's network (MCP, transports, security warning).
  const origin = header(request, 'origin');
  if (origin !== undefined && origin !== baseUrl) return { failure: failure('formFromElsewhere') };
  const authenticated = await authenticateFor(services, request, resourceOf(baseUrl));
  if ('failure' in authenticated) return challenged(baseUrl, authenticated);
  const { caller } = authenticated;
  if (!caller.scope?.includes(MCP_READ))
    return challenged(baseUrl, { failure: failure('operatorScopeMissing', MCP_READ) });
  const context = contextOf(services, request, caller);
  const message = readMessage(request.json);
  // The client asks for the scope when it needs it (RFC 6750 section 3.1; MCP, authorization, step-up).
  if (proposes(message) && !context.mayPropose) {
    return challenged(baseUrl, { failure: failure('operatorScopeMissing', MCP_PROPOSE) }, `${MCP_READ} ${MCP_PROPOSE}`);
  }
  return answered(context, message);
};

async function answered(context: McpContext, message: Message): Promise<Answer> {
  const reply = await answerMessage(context, message);
  // A notification or a response: there is nothing to say (MCP, transports, sending messages).
  if (reply === undefined) return { ...json({}), status: 202, body: '' };
  return json(reply, 'error' in reply && message.kind === 'invalid' ? 400 : 200);
}

function proposes(message: Message): boolean {
  if (message.kind !== 'request' || message.method !== 'tools/call') return false;
  return Object.hasOwn(PROPOSING, String(message.params.name));
}

function contextOf(services: Services, request: Request, caller: Caller): McpContext {
  return {
    operation: { services, caller, origin: requestOrigin(request), ifMatch: undefined },
    mayPropose: caller.scope?.includes(MCP_PROPOSE) === true,
  };
}

function resourceOf(baseUrl: string): string {
  return `${baseUrl}${MCP_PATH}`;
}

/** RFC 9728 section 5.1: the challenge leads the client to the metadata, and so to the authorization server. */
function challenged(baseUrl: string, refusal: Refusal, scope = MCP_READ): Refusal {
  const { status } = refusal.failure;
  if (status !== 401 && status !== 403) return refusal;
  const metadata = `${baseUrl}/.well-known/oauth-protected-resource${MCP_PATH}`;
  const { scheme = 'Bearer', parameters } = refusal.challenge ?? {};
  const own = `resource_metadata="${metadata}", scope="${scope}"`;
  return { ...refusal, challenge: { scheme, parameters: parameters === undefined ? own : `${parameters}, ${own}` } };
}
