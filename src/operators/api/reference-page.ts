import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { Reply } from '../../platform/http/message.ts';
import { commandLine } from '../../platform/release.ts';
import { apiReferenceScript } from '../../platform/ui/assets.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import { exampleFor } from './examples.ts';
import { jsonSchema } from './openapi.ts';
import { type Operation, schemaOf } from './operation.ts';
import type { ListedOperation } from './operation-table.ts';
import { type Field, fieldsOf } from './schema-fields.ts';

/** /docs/api: the admin API for people, from the same routes and schemas as the OpenAPI document. */
export function apiReferencePage(
  baseUrl: string,
  operations: readonly ListedOperation[],
  fields: Fields,
  maxAgeSeconds: number,
): Reply {
  const body = html`
<h1>Admin API</h1>
<p>Every call needs <code>Authorization: Bearer gak_…</code>: <code>${commandLine()} api-keys create --name NAME --role ROLE</code> makes a key.
An access token of an operator, of the application <code>gatehouse</code>, does as well: under <code>Bearer</code>, or under
<code>DPoP</code> with a proof if it is bound to a key.
For programs there is the <a href="/api/v1/admin/openapi.json">OpenAPI document</a>.</p>
<p hidden><label for="search">Search</label>
<input id="search" type="search" autocomplete="off"></p>
${groups(operations).map(([name, rows]) => html`<section class="calls"><h2>${name}</h2>\n${rows.map(row => callOf(baseUrl, row, fields))}</section>\n`)}`;
  const reply = page({ locale: 'en', title: 'Admin API · Gatehouse', body, wide: true, script: apiReferenceScript });
  return { ...reply, headers: { ...reply.headers, 'cache-control': `public, max-age=${maxAgeSeconds}` } };
}

/** By the first segment of the path. */
function groups(operations: readonly ListedOperation[]): [string, ListedOperation[]][] {
  return [...Map.groupBy(operations, ({ path }) => path.split('/')[1] ?? '')];
}

function callOf(baseUrl: string, { id, method, path, operation }: ListedOperation, fields: Fields): Html {
  const { summary, role, query } = operation;
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const body = hasBody ? fieldsOf(schemaOf<unknown>(operation.changes ?? operation.body, fields)) : [];
  return html`<details>
<summary><code>${method} ${path}</code> ${summary}</summary>
<p class="muted">Role: ${role} · <a href="/console/api/${id}">Try it in the console</a></p>
${fieldList('Query', fieldsOf(schemaOf<unknown>(query, fields)))}${fieldList('Body', body)}
<pre>${exampleOf(baseUrl, method, path, operation)}</pre>${answerOf(operation, fields)}
</details>
`;
}

function fieldList(title: string, fields: readonly Field[]): Html | undefined {
  if (fields.length === 0) return undefined;
  const rows = fields.map(({ name, kind }) => html`<div><dt><code>${name}</code></dt><dd>${kind}</dd></div>`);
  return html`<h3>${title}</h3><dl>${rows}</dl>`;
}

function answerOf({ status, result }: Operation, fields: Fields): Html {
  if (status === 204) return html`<p class="muted">Response: 204, without a body.</p>`;
  const example = exampleFor(jsonSchema(schemaOf(result, fields), 'input'));
  return html`<h3>Response: ${status}</h3><pre>${JSON.stringify(example, null, 2)}</pre>`;
}

/** A line to paste; names in capitals stand for ids. */
function exampleOf(baseUrl: string, method: string, path: string, { example }: Operation): string {
  const address = `${baseUrl}/api/v1/admin${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())}`;
  const words = ['curl', ...(method === 'GET' ? [] : ['-X', method]), '-H "Authorization: Bearer $KEY"'];
  if (example !== undefined) words.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(example)}'`);
  return [...words, address].join(' ');
}
