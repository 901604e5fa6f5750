import { z } from 'zod';
import { releaseVersion } from '../../platform/release.ts';
import type { McpContext } from './context.ts';
import { callTool, listTools } from './tools.ts';

/** JSON-RPC 2.0 as the Model Context Protocol uses it: one message in a request, one in its answer. */

const id = z.union([z.string(), z.number()]);
const request = z.object({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
});

type Id = z.output<typeof id>;

export type Message =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  /** A notification, or an answer to a request that this server never sends. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'invalid' };

export type Params = Readonly<Record<string, unknown>>;

export function readMessage(body: unknown): Message {
  const read = request.safeParse(body);
  if (!read.success) return isResponse(body) ? { kind: 'unanswered' } : { kind: 'invalid' };
  const { id: given, method, params } = read.data;
  return given === undefined ? { kind: 'unanswered' } : { kind: 'request', id: given, method, params };
}

function isResponse(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'jsonrpc' in body && ('result' in body || 'error' in body);
}

type Reply =
  | { readonly jsonrpc: '2.0'; readonly id: Id; readonly result: unknown }
  | {
      readonly jsonrpc: '2.0';
      readonly id: Id | null;
      readonly error: { readonly code: number; readonly message: string };
    };

/** JSON-RPC 2.0 section 5.1. */
const CODES = { invalidRequest: -32600, methodNotFound: -32601, invalidParams: -32602 } as const;

const PROTOCOLS = ['2025-11-25', '2025-06-18', '2025-03-26'];

export async function answerMessage(context: McpContext, message: Message): Promise<Reply | undefined> {
  if (message.kind === 'unanswered') return undefined;
  if (message.kind === 'invalid') return refused(null, CODES.invalidRequest, 'This is no JSON-RPC 2.0 message.');
  const { id, method, params } = message;
  const result = (value: unknown): Reply => ({ jsonrpc: '2.0', id, result: value });
  switch (method) {
    case 'initialize':
      return result(initialized(params));
    case 'ping':
      return result({});
    case 'tools/list':
      return result({ tools: await listTools(context) });
    case 'tools/call': {
      const called = await callTool(context, String(params.name), params.arguments ?? {});
      return called ? result(called) : refused(id, CODES.invalidParams, `There is no tool "${String(params.name)}".`);
    }
    default:
      return refused(id, CODES.methodNotFound, 'This server has no such method.');
  }
}

function refused(id: Id | null, code: number, message: string): Reply {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Another version than the client names: it decides whether it goes on (MCP, lifecycle, version negotiation). */
function initialized({ protocolVersion }: Params) {
  return {
    protocolVersion: PROTOCOLS.find(version => version === protocolVersion) ?? PROTOCOLS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'gatehouse', title: 'Gatehouse', version: releaseVersion() },
    instructions:
      'Gatehouse is an OAuth 2.0 and OpenID Connect server. The tools read its admin API with the role of the operator who signed in. ' +
      'getRefusal explains a refused request by its X-Request-Id. diffFile says what an apply file would change. Nothing is changed here: ' +
      'a tool that proposes an act returns an address at which the operator approves it.',
  };
}
