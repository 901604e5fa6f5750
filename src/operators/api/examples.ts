/** What the OpenAPI document and the reference show, where no operation says it better: a value that fits the schema. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly description?: string;
}

/** The examples of all documents are about the same shop. */
const NAMED: Readonly<Record<string, unknown>> = {
  code: 'shop',
  application: 'shop',
  applications: ['shop'],
  client: 'shop-web',
  client_id: 'shop-web',
  client_name: 'Shop web',
  cursor: 'c2hvcA',
  next: null,
  sub: 'Zm9yIGV4YW1wbGUgMTIzNA',
  user: 'Zm9yIGV4YW1wbGUgMTIzNA',
  username: 'alice',
  email: 'alice@example.com',
  phone_number: '+8613800000000',
  request_id: '5f3c9a1e77b2-42',
  address: '203.0.113.7',
  url: 'https://shop.example/hooks',
  redirect_uris: ['https://shop.example/callback'],
  scope: 'openid profile email',
  type: 'user.login.failed',
  event_types: ['user.login.failed'],
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-02T00:00:00Z',
  operator: 'Zm9yIGV4YW1wbGUgMTIzNA',
  kid: 'm2Jq0q7Zk1s',
  version: '0.2.0',
};

const TIME = '2027-01-31T12:00:00Z';

export function exampleFor(schema: JsonSchema, name = ''): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (options?.[0]) return exampleFor(options.find(({ type }) => type !== 'null') ?? options[0], name);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.find(each => each !== 'null');
  const known = NAMED[name];
  if (known !== undefined && fits(known, type)) return known;
  switch (type) {
    case 'object':
      return objectFor(schema);
    case 'array':
      return schema.items === undefined ? [] : [exampleFor(schema.items, name.replace(/s$/, ''))];
    case 'boolean':
      return schema.default ?? true;
    case 'integer':
    case 'number':
      return schema.default ?? Math.max(schema.minimum ?? 1, 1);
    case 'string':
      return schema.default ?? textFor(schema, name);
    default:
      return schema.default ?? null;
  }
}

function fits(value: unknown, type: string | undefined): boolean {
  if (value === null) return type === 'string' || type === 'null';
  return Array.isArray(value) ? type === 'array' : typeof value === type;
}

function objectFor({ properties = {} }: JsonSchema): unknown {
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, exampleFor(each, name)]));
}

function textFor({ format }: JsonSchema, name: string): string {
  if (format === 'date-time') return TIME;
  if (format === 'uri') return 'https://shop.example/';
  return name === 'id' ? 'id_0123456789abcdef' : name.replaceAll('_', ' ') || 'text';
}
