/**
 * The client of the admin API, `gatehouse/admin`: what build-package.ts adds to the package. Its types and addresses are made of the OpenAPI
 * document of the very sources that are packed, so that they cannot be old; src/operators/client/ has the rest.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandTables } from '../src/assembly/tables.ts';
import type { JsonSchema } from '../src/operators/api/examples.ts';
import { openApiDocument } from '../src/operators/api/openapi.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonSchema;
}

interface Documented {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

/** The generated module, as TypeScript. */
export async function adminClientSource(): Promise<string> {
  const { operations, fields } = commandTables();
  const document = openApiDocument('https://id.example', await operations.list(), await fields()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  };
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const types = all.map(({ operation }) => typeOf(operation));
  const addresses = all.map(({ path, method, operation: { operationId, parameters } }) => {
    const query = parameters.filter(each => each.in === 'query').map(({ name }) => name);
    return `  ${operationId}: ${JSON.stringify([method, path, query])},\n`;
  });
  return `// Made of the OpenAPI document of this release by scripts/admin-client.ts.
import { type Client, clientOf } from './client.ts';
import type { ConnectionOptions } from './connection.ts';

export { everyItem, etagOf } from './client.ts';
export type { CallOptions } from './client.ts';
export { AdminApiError, ServerUnreachable } from './connection.ts';
export type { ConnectionOptions, Problem } from './connection.ts';

/** What each operation of the admin API takes and returns. */
export type AdminOperations = {
${types.join('')}};

const ADDRESSES = {
${addresses.join('')}} as const;

export type AdminClient = Client<AdminOperations>;

/** A client of the admin API: \`adminClient({ server: 'https://id.example', apiKey })\`. */
export function adminClient(options: ConnectionOptions): AdminClient {
  return clientOf<AdminOperations>(ADDRESSES, options);
}
`;
}

function typeOf({ operationId, summary, parameters, requestBody, responses }: Documented): string {
  const inputs = parameters
    .filter(each => each.in !== 'header')
    .map(each => `    ${JSON.stringify(each.name)}${each.in === 'path' ? '' : '?'}: ${tsOf(each.schema, '    ')};\n`);
  const body = Object.values(requestBody?.content ?? {})[0];
  if (body) inputs.push(`    body${requestBody?.required ? '' : '?'}: ${tsOf(body.schema, '    ')};\n`);
  const content = Object.entries(responses).find(([status]) => status !== 'default')?.[1].content;
  const result = Object.values(content ?? {})[0];
  const lines = [`  /** ${summary.replaceAll('*/', '')} */\n`, `  ${operationId}: {\n`, '    input: {\n'];
  return `${lines.join('')}${inputs.map(line => `  ${line}`).join('')}    };\n    result: ${result ? tsOf(result.schema, '    ') : 'undefined'};\n  };\n`;
}

/** The type of the values that fit a schema. */
export function tsOf(schema: JsonSchema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map(each => JSON.stringify(each)).join(' | ') || 'never';
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map(each => tsOf(each, indent)))].map(bracketed).join(' | ');
  if (schema.allOf) return schema.allOf.map(each => bracketed(tsOf(each, indent))).join(' & ');
  if (typeof schema.type === 'object') {
    return schema.type.map(type => bracketed(tsOf({ ...schema, type }, indent))).join(' | ');
  }
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `readonly ${bracketed(schema.items ? tsOf(schema.items, indent) : 'unknown')}[]`;
    case 'object':
      return objectOf(schema, indent);
    default:
      return 'unknown';
  }
}

const bracketed = (type: string) => (/ [|&] |^readonly /.test(type) && !/^\{/.test(type) ? `(${type})` : type);

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema, indent: string): string {
  const members = Object.entries(properties).map(([name, each]) => {
    const about = each.description === undefined ? '' : `${indent}  /** ${each.description.replaceAll('*/', '')} */\n`;
    const mark = required.includes(name) ? '' : '?';
    return `${about}${indent}  readonly ${JSON.stringify(name)}${mark}: ${tsOf(each, `${indent}  `)};\n`;
  });
  if (members.length === 0) {
    const value = typeof additionalProperties === 'object' ? tsOf(additionalProperties, indent) : 'unknown';
    return additionalProperties === false ? 'Record<string, never>' : `{ readonly [name: string]: ${value} }`;
  }
  // What a newer release adds to an answer is there too.
  const more =
    additionalProperties === undefined || additionalProperties === false
      ? ''
      : `${indent}  readonly [name: string]: unknown;\n`;
  return `{\n${members.join('')}${more}${indent}}`;
}

const SOURCES = fileURLToPath(new URL('../src/operators/client', import.meta.url));
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** JavaScript and declarations for programs of others: no dependency, and nothing of the server. */
export async function writeAdminClient(folder: string): Promise<void> {
  // Not below node_modules, where the compiler writes nothing.
  const sources = mkdtempSync(join(tmpdir(), 'gatehouse-admin-'));
  mkdirSync(folder, { recursive: true });
  cpSync(SOURCES, sources, { recursive: true });
  writeFileSync(join(sources, 'admin.ts'), await adminClientSource());
  const options = ['--declaration', '--emitDeclarationOnly', '--strict', '--target', 'esnext', '--module', 'nodenext'];
  const more = [
    '--allowImportingTsExtensions',
    '--rewriteRelativeImportExtensions',
    '--types',
    'node',
    '--outDir',
    folder,
  ];
  execFileSync(process.execPath, [TSC, ...options, ...more, '--ignoreConfig', join(sources, 'admin.ts')], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const name of readdirSync(sources)) {
    const declaration = join(folder, name.replace(/\.ts$/, '.d.ts'));
    // The compiler indents by four spaces: a third of the file.
    const types = asJavaScript(readFileSync(declaration, 'utf8'));
    writeFileSync(
      declaration,
      types.replaceAll(/^(?: {4})+/gm, spaces => '\t'.repeat(spaces.length / 4)),
    );
    const text = asJavaScript(stripTypeScriptTypes(readFileSync(join(sources, name), 'utf8')));
    writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), text.replaceAll(/(?:^[ \t;]*\n){2,}/gm, '\n'));
  }
  rmSync(sources, { recursive: true });
}

function asJavaScript(text: string): string {
  return text.replaceAll(/(from ')(\.[^']*)\.ts'/g, "$1$2.js'");
}
