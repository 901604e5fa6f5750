import type { OperationAddress } from '../api/operation-table.ts';
import { perform } from '../api/perform.ts';
import {
  type CallResult,
  failed,
  inputOf,
  inputSchemaOf,
  isOffered,
  isReading,
  mayRun,
  refusalText,
  toolAt,
} from './call.ts';
import type { McpContext } from './context.ts';
import { PROPOSING, proposingTools } from './propose.ts';

/** Tools are operations of the admin API that change nothing, by their names; what a role may not run is no tool of its assistant. */

export async function listTools(context: McpContext): Promise<readonly object[]> {
  const tools = await Promise.all(readingAddresses(context).map(toolAt));
  const { caller } = context.operation;
  const own = tools.filter(({ operation }) => isOffered(operation) && mayRun(operation, caller));
  const reading = await Promise.all(
    own.map(async ({ address, operation }) => ({
      name: address.id,
      title: operation.summary.split('.')[0],
      description: operation.summary,
      inputSchema: await inputSchemaOf(context, { address, operation }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    })),
  );
  return [...reading, ...(await proposingTools(context))];
}

/** Undefined: there is no such tool, or none for this role. */
export async function callTool(context: McpContext, name: string, given: unknown): Promise<CallResult | undefined> {
  if (Object.hasOwn(PROPOSING, name)) return PROPOSING[name]?.(context, given);
  const address = readingAddresses(context).find(({ id }) => id === name);
  if (!address) return undefined;
  const tool = await toolAt(address);
  if (!isOffered(tool.operation) || !mayRun(tool.operation, context.operation.caller)) return undefined;
  const input = inputOf(tool, given);
  if (typeof input === 'string') return failed(input);
  const outcome = await perform(tool.operation, context.operation, input);
  if (outcome.kind !== 'done') return failed(refusalText(outcome));
  return { content: [{ type: 'text', text: JSON.stringify(outcome.value) }], structuredContent: outcome.value };
}

function readingAddresses({ operation: { services } }: McpContext): readonly OperationAddress[] {
  return services.tables.operations.addresses.filter(isReading);
}
