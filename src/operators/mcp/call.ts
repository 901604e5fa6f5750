import { z } from 'zod';
import { loadSchema } from '../api/operation.ts';
import type { AnyOperation, OperationAddress } from '../api/operation-table.ts';
import type { Problem } from '../api/outcome.ts';
import { type Forbidden, type Input, refusedRights } from '../api/perform.ts';
import type { McpContext } from './context.ts';

/** From the arguments of a tool to the input of an operation, and from its outcome to the words of a tool. */

export interface Tool {
  readonly address: OperationAddress;
  readonly operation: AnyOperation;
}

export interface CallResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: true;
}

/** Operations that answer a POST and change nothing. */
const DRY_RUNS: readonly string[] = ['diffFile'];

export function isReading({ id, method }: OperationAddress): boolean {
  return method === 'GET' || DRY_RUNS.includes(id);
}

export async function toolAt(address: OperationAddress): Promise<Tool> {
  return { address, operation: await address.load() };
}

/** An auditor reads everything except secrets: what needs more hands out links of mails, or a whole person. */
export function isOffered({ role }: AnyOperation): boolean {
  return role === 'auditor';
}

/** Of an application that is named in the call, the call decides. */
export function mayRun(operation: AnyOperation, caller: McpContext['operation']['caller']): boolean {
  return operation.reach === 'application' || refusedRights(operation, caller, {}) === undefined;
}

export async function inputSchemaOf(context: McpContext, { address, operation }: Tool): Promise<object> {
  const params = Object.fromEntries(paramsOf(address).map(name => [name, { type: 'string' }]));
  const { tables } = context.operation.services;
  const query = await loadSchema<unknown>(operation.query, tables);
  const { properties = {} } = schemaOf(query) as { properties?: Record<string, object> };
  const hasBody = address.method !== 'GET';
  const body = hasBody ? { body: schemaOf(await loadSchema<unknown>(operation.body, tables)) } : {};
  return {
    type: 'object',
    properties: { ...params, ...properties, ...body },
    required: [...Object.keys(params), ...Object.keys(body)],
    additionalProperties: false,
  };
}

function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...document } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return document;
}

function paramsOf({ path }: OperationAddress): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** A text: what is wrong with the arguments. */
export function inputOf({ address }: Tool, given: unknown): Input | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'The arguments must be an object.';
  const { body, ...rest } = given as Record<string, unknown>;
  const names = paramsOf(address);
  const missing = names.find(name => typeof rest[name] !== 'string');
  if (missing !== undefined) return `${missing}: must be a text.`;
  const texts = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null);
  const isParam = ([name]: readonly [string, unknown]) => names.includes(name);
  const asText = ([name, value]: readonly [string, unknown]) => [name, String(value)] as const;
  return {
    params: Object.fromEntries(texts.filter(isParam).map(asText)),
    query: Object.fromEntries(texts.filter(each => !isParam(each)).map(asText)),
    body: address.method === 'GET' ? undefined : body,
  };
}

/** An assistant reads it and tries again. */
export function failed(text: string): CallResult {
  return { content: [{ type: 'text', text }], isError: true };
}

export function refusalText(problem: Problem | Forbidden): string {
  switch (problem.kind) {
    case 'unknown':
      return `There is no such ${problem.what}.`;
    case 'conflict':
      return problem.detail;
    case 'invalid':
      return problem.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('\n');
    case 'forbidden':
      return `This needs the role ${problem.needed}.`;
    default:
      return 'The object has changed meanwhile.';
  }
}
