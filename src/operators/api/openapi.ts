import { z } from 'zod';
import type { Fields } from '../../directory/fields/sum.fields.ts';
import { exampleFor, type JsonSchema } from './examples.ts';
import { type Operation, schemaOf } from './operation.ts';
import type { AdminMethod, ListedOperation } from './operation-table.ts';

/** The OpenAPI 3.1 document of the admin API, from the routes and from the schemas that validate. */
export function openApiDocument(baseUrl: string, operations: readonly ListedOperation[], fields: Fields): object {
  const paths = [...Map.groupBy(operations, ({ path }) => path)].map(([path, own]) => [
    path,
    Object.fromEntries(own.map(each => [each.method.toLowerCase(), describe(each, fields)])),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse admin API',
      version: '1',
      description: 'Operations on applications, clients, users and everything else that an operator manages.',
    },
    servers: [{ url: `${baseUrl}/api/v1/admin` }],
    // One of them is enough.
    security: [{ bearer: [] }, { dpop: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes,
      schemas: { Problem: jsonSchema(problem, 'output') },
    },
  };
}

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key (gak_…), or an access token of an operator, of the application gatehouse.',
  },
  dpop: {
    type: 'http',
    scheme: 'dpop',
    description:
      'An access token of an operator that is bound to a key (RFC 9449). The header DPoP has a proof for each request.',
  },
};

/** RFC 9457 section 3.1. */
const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  request_id: z.string(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
});

const PROBLEM = {
  description: 'A refusal (RFC 9457).',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const CONDITIONAL: readonly AdminMethod[] = ['PATCH', 'DELETE'];

function describe({ path, method, id, operation }: ListedOperation, fields: Fields): object {
  const body = requestBody(method, operation, fields);
  return {
    operationId: id,
    summary: operation.summary,
    'x-role': operation.role,
    tags: [path.split('/')[1]],
    parameters: [...pathParameters(path), ...queryParameters(operation, fields), ...headerParameters(method)],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { [operation.status]: answer(operation, fields), default: PROBLEM },
  };
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: exampleFor({ type: 'string' }, name),
  }));
}

function queryParameters({ query }: Operation, fields: Fields): object[] {
  const { properties = {} } = jsonSchema(schemaOf<unknown>(query, fields), 'input') as JsonSchema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
    example: exampleFor(schema, name),
  }));
}

function headerParameters(method: AdminMethod): object[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  });
  if (CONDITIONAL.includes(method))
    return [header('If-Match', 'The ETag that was read: 412 if the object has changed.')];
  return method === 'POST' ? [header('Idempotency-Key', 'The same key and body: the same answer for 24 hours.')] : [];
}

function requestBody(method: AdminMethod, { body, changes, example }: Operation, fields: Fields): object | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  const schema = jsonSchema(schemaOf<unknown>(changes ?? body, fields), 'input') as { required?: unknown };
  if (method === 'PATCH') delete schema.required;
  const media = { schema, example: example ?? {} };
  const types = method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json'];
  return {
    required: !schemaOf(body, fields).safeParse(undefined).success,
    content: Object.fromEntries(types.map(type => [type, media])),
  };
}

function answer({ status, result }: Operation, fields: Fields): object {
  if (status === 204) return { description: 'Done.' };
  const headers = { 'X-Request-Id': { schema: { type: 'string' } } };
  const schema = jsonSchema(schemaOf(result, fields), 'input');
  return {
    description: 'Done.',
    headers,
    content: { 'application/json': { schema, example: exampleFor(schema) } },
  };
}

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...document } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return document as JsonSchema;
}
