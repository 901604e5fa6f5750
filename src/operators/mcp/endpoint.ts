import { MCP_PATH, MCP_PROPOSE, MCP_READ } from '../../directory/applications/built-in.rules.ts';
import { failure } from '../../failures.ts';
import { type Answer, header, json, type Request } from '../../platform/http/message.ts';
import type { Handler, Services } from '../../services.ts';
import { authenticateFor } from '../api/authenticate.ts';
import { type Caller, requestOrigin } from '../api/caller.ts';
import { challenged, metadataOf } from '../api/protected-resource.ts';
import type { McpContext } from './context.ts';
import { PROPOSING } from './propose.ts';
import { answerMessage, type Message, readMessage } from './protocol.ts';

/** /mcp and its metadata. protocol.ts has the messages, tools.ts what can be called. */

const RESOURCE = { path: MCP_PATH, name: 'Gatehouse admin API', scopes: [MCP_READ, MCP_PROPOSE] };

export const resourceMetadata = metadataOf(RESOURCE);

export const mcpRequest: Handler = async (services, request) => {
  const { baseUrl } = services.config;
  // A page of another site must not speak through a browser of the machine's network (MCP, transports, security warning).
  const origin = header(request, 'origin');
  if (origin !== undefined && origin !== baseUrl) return { failure: failure('formFromElsewhere') };
  const authenticated = await authenticateFor(services, request, baseUrl + MCP_PATH);
  if ('failure' in authenticated) return challenged(baseUrl, RESOURCE, authenticated, MCP_READ);
  const { caller } = authenticated;
  if (!caller.scope?.includes(MCP_READ))
    return challenged(baseUrl, RESOURCE, { failure: failure('operatorScopeMissing', MCP_READ) }, MCP_READ);
  const context = contextOf(services, request, caller);
  const message = readMessage(request.json);
  // The client asks for the scope when it needs it (RFC 6750 section 3.1; MCP, authorization, step-up).
  if (proposes(message) && !context.mayPropose) {
    const missing = { failure: failure('operatorScopeMissing', MCP_PROPOSE) };
    return challenged(baseUrl, RESOURCE, missing, `${MCP_READ} ${MCP_PROPOSE}`);
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
