import type { AnyOperation, OperationAddress } from '../api/operation-table.ts';
import { refusedRights } from '../api/perform.ts';
import { type CallResult, failed, inputOf, inputSchemaOf, isReading, mayRun, refusalText, toolAt } from './call.ts';
import type { McpContext } from './context.ts';
import { PROPOSAL_SECONDS, proposalAddress } from './proposal.ts';

/** The two tools for acts, for a token with their scope (endpoint.ts): what an act takes, and its proposal. Neither changes anything. */

export const PROPOSING: Readonly<Record<string, (context: McpContext, given: unknown) => Promise<CallResult>>> = {
  describeAct: async (context, given) => {
    const act = await actOf(context, given);
    if (!act) return failed(NO_ACT);
    const { summary, role, example } = act.operation;
    const text = { summary, role, input: await inputSchemaOf(context, act), example };
    return { content: [{ type: 'text', text: JSON.stringify(text) }], structuredContent: text };
  },
  proposeAct: async (context, given) => {
    const act = await actOf(context, given);
    if (!act) return failed(NO_ACT);
    const input = inputOf(act, (given as { input?: unknown }).input ?? {});
    if (typeof input === 'string') return failed(input);
    const { services, caller } = context.operation;
    const refused = refusedRights(act.operation, caller, input.params);
    if (refused) return failed(refusalText(refused));
    const address = proposalAddress(services, { sub: caller.actor.id ?? '', operation: act.address.id, input });
    if (address === undefined) return failed('The act is too large to be proposed: use the command line.');
    const minutes = PROPOSAL_SECONDS / 60;
    const text = `Nothing has been changed. The operator approves the act within ${minutes} minutes, once, at this address: ${address}`;
    return { content: [{ type: 'text', text }], structuredContent: { approval_url: address } };
  },
};

const NO_ACT = 'There is no such act for this role.';

interface Act {
  readonly address: OperationAddress;
  readonly operation: AnyOperation;
}

async function actOf(context: McpContext, given: unknown): Promise<Act | undefined> {
  const name = (given as { operation?: unknown } | null)?.operation;
  const address = context.operation.services.tables.operations.addresses.find(({ id }) => id === name);
  if (!address || isReading(address)) return undefined;
  const act = await toolAt(address);
  return mayRun(act.operation, context.operation.caller) ? act : undefined;
}

/** What the lists of tools say of them. */
export async function proposingTools(context: McpContext): Promise<readonly object[]> {
  const { services, caller } = context.operation;
  const acts = await Promise.all(services.tables.operations.addresses.filter(each => !isReading(each)).map(toolAt));
  const names = acts.filter(({ operation }) => mayRun(operation, caller)).map(({ address }) => address.id);
  if (names.length === 0) return [];
  const operation = { type: 'string', enum: names };
  const tool = (name: string, description: string, properties: object) => ({
    name,
    description,
    inputSchema: { type: 'object', properties, required: ['operation'], additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
  });
  return [
    tool('describeAct', 'Tells what an act of the admin API takes, with an example.', { operation }),
    tool(
      'proposeAct',
      'Proposes an act. Returns an address at which the operator approves it; nothing changes before.',
      {
        operation,
        input: { type: 'object', description: 'The parameters of path and query as texts, and body.' },
      },
    ),
  ];
}
