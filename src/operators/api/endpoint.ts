import { failure } from '../../failures.ts';
import type { Config } from '../../platform/config/config.ts';
import {
  type Answer,
  header,
  NOT_STORED,
  type Refusal,
  type Reply,
  type Request,
} from '../../platform/http/message.ts';
import { answerPublished, publish, publishedOnce, publishJson } from '../../platform/http/published.ts';
import { readJsonFile } from '../../platform/http/read-json.ts';
import type { Services, Tables } from '../../services.ts';
import { authenticate } from './authenticate.ts';
import { type Caller, requestOrigin } from './caller.ts';
import { answerToStore, type Repeatable, repeatableOf, sightOf, storedAnswer } from './idempotency.ts';
import { openApiDocument } from './openapi.ts';
import { etagOf, type Operation, type OperationContext } from './operation.ts';
import type { OperationAddress } from './operation-table.ts';
import type { Problem } from './outcome.ts';
import { type Forbidden, perform, refusedRights } from './perform.ts';
import { ADMIN_RESOURCE, challenged } from './protected-resource.ts';
import { apiReferencePage } from './reference-page.ts';

/**
 * {base_url}/api/v1/admin: from a request to an operation and back. operation-table.ts has the addresses of operations,
 * perform.ts the rights, authenticate.ts the caller, idempotency.ts the answers to repeated requests.
 */
export async function adminRequest(
  services: Services,
  request: Request,
  { id, takesFile }: Pick<OperationAddress, 'id' | 'takesFile'>,
  operation: Operation,
): Promise<Answer> {
  const authentication = await authenticate(services, request);
  if ('failure' in authentication) return challenged(services.config.baseUrl, ADMIN_RESOURCE, authentication);
  const { caller } = authentication;
  // Before the stored answer too: the caller may have lost the right to it since.
  const refused = refusedRights(operation, caller, request.params);
  if (refused) return refusalOf(refused);
  const path = `${id} ${JSON.stringify(request.params)}`;
  const repeatable = repeatableOf(caller, request, `${path}${sightOf(operation, caller)}`);
  if (repeatable === 'malformed') return invalid('/Idempotency-Key', 'must have 1 to 255 visible ASCII characters');
  const before = repeatable && (await repeated(services, repeatable));
  if (before) return before;

  const query = readQuery(request.query);
  if (query === undefined) return invalid('', 'a parameter of the query is repeated or badly encoded');
  const context = contextOf(services, request, caller, operation, repeatable);
  // A file is parsed only for a caller who may send one.
  const read = takesFile ? readJsonFile(request) : { value: request.json };
  if ('failure' in read) return read;
  const outcome = await perform(operation, context, { params: request.params, query, body: read.value });
  if (outcome.kind === 'done') return answerOnce(services, replyOf(operation, outcome.value), repeatable);
  if (outcome.kind === 'alreadyAnswered' && repeatable) {
    const answered = await repeated(services, repeatable);
    if (answered) return answered;
  }
  return refusalOf(outcome);
}

/** A longer one, such as the comparison of a large file, is made again: nobody fills the database with answers. */
const MAX_KEPT_LENGTH = 128 * 1024;

/** Most operations write the answer with their act. It is kept here for one that has written nothing, such as a test mail or an apply without changes. */
async function answerOnce(services: Services, reply: Reply, repeatable: Repeatable | undefined): Promise<Answer> {
  if (!repeatable || String(reply.body).length > MAX_KEPT_LENGTH) return reply;
  const isKept = await services.store.keepAnswer(answerToStore(services, repeatable, reply), services.clock.now());
  return (isKept ? undefined : await repeated(services, repeatable)) ?? reply;
}

export { authenticate };

/** Of no deployment in particular. Who may read it: documents.ts. */
export async function openApi({ config, tables }: Services, request: Request): Promise<Reply> {
  return answerPublished(request, await openApiOf(config, tables));
}

export async function apiReference({ config, tables }: Services, request: Request): Promise<Reply> {
  return answerPublished(request, await referenceOf(config, tables));
}

const MAX_AGE_SECONDS = 300;
/** Each takes tens of milliseconds to build, and anybody can ask for it. */
const openApiOf = publishedOnce(async ({ baseUrl }: Config, { operations, fields }: Tables) =>
  publishJson(openApiDocument(baseUrl, await operations.list(), await fields()), MAX_AGE_SECONDS),
);
const referenceOf = publishedOnce(async ({ baseUrl }: Config, { operations, fields }: Tables) =>
  publish(apiReferencePage(baseUrl, await operations.list(), await fields(), MAX_AGE_SECONDS)),
);

async function repeated(services: Services, repeatable: Repeatable): Promise<Answer | undefined> {
  const stored = await storedAnswer(services, repeatable);
  return stored === 'other' ? { failure: failure('idempotencyKeyReused') } : stored;
}

function contextOf(
  services: Services,
  request: Request,
  caller: Caller,
  operation: Operation,
  repeatable: Repeatable | undefined,
): OperationContext {
  return {
    services,
    caller,
    origin: requestOrigin(request),
    ifMatch: header(request, 'if-match'),
    answerFor: repeatable && (result => answerToStore(services, repeatable, replyOf(operation, result))),
  };
}

/** Undefined: a parameter is repeated, or its percent-encoding is broken. */
function readQuery(query: string): Record<string, string> | undefined {
  const read: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(read, name) || name === '__proto__' || value.includes('\ufffd')) return undefined;
    read[name] = value;
  }
  return read;
}

function replyOf({ status }: Operation, value: unknown): Reply {
  if (status === 204) return { status, headers: { ...NOT_STORED }, body: '' };
  const isObject = typeof value === 'object' && value !== null && !('items' in value);
  const headers = { ...NOT_STORED, ...(isObject ? { etag: etagOf(value) } : {}) };
  return { status, headers, body: JSON.stringify(value) };
}

export function refusalOf(problem: Problem | Forbidden): Refusal {
  switch (problem.kind) {
    case 'unknown':
      return { failure: failure('objectUnknown', problem.what) };
    case 'conflict':
      return { failure: failure('objectConflict', problem.detail) };
    case 'changed':
      return { failure: failure('objectChanged') };
    case 'invalid':
      return { failure: failure('valuesInvalid'), errors: problem.errors };
    case 'forbidden':
      return { failure: failure('roleTooLow', problem.needed) };
    case 'alreadyAnswered':
      return { failure: failure('idempotencyKeyReused') };
  }
}

function invalid(pointer: string, detail: string): Refusal {
  return refusalOf({ kind: 'invalid', errors: [{ pointer, detail }] });
}
