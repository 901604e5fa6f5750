/** `npm run docs:fields`: writes the tables of fields in docs, from the declarations (src/directory/fields). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { commandTables } from '../src/assembly/tables.ts';
import { capabilities } from '../src/capabilities.ts';
import type { Field } from '../src/directory/fields/declaration.fields.ts';
import { userSchema } from '../src/directory/users/fields.ts';

const document = (name: string) => join(import.meta.dirname, `../docs/${name}.md`);

/** Those that have tables. */
export const DOCUMENTS = {
  configuration: document('configuration'),
  'self-registration': document('self-registration'),
};

/** A document with the tables between their markers, `<!-- fields: client -->` and `<!-- /fields -->`. */
export async function withFieldTables(text: string): Promise<string> {
  const { client, application, provider } = await commandTables(capabilities).fields();
  const tables: Readonly<Record<string, string>> = {
    application: table(application.declared),
    client: table(client.declared),
    own: ownTable(client.own),
    provider: table(provider.declared),
    user: userTable(userSchema.shape),
  };
  return text.replace(
    /(<!-- fields: (\w+) -->\n)[\s\S]*?(<!-- \/fields -->)/g,
    (_, begin: string, name: string, end: string) => {
      const made = tables[name];
      if (made === undefined) throw new Error(`there is no table of the fields of ${name}`);
      return `${begin}\n${made}\n${end}`;
    },
  );
}

function table(fields: readonly Field[]): string {
  const rows = fields.map(field => `| \`${field.name}\` | ${defaultOf(field)} | ${field.meaning}${more(field)} |\n`);
  return `| field | default | |\n|---|---|---|\n${rows.join('')}`;
}

/** Without the defaults, which are others for some: self-registration.md says which. */
function ownTable(fields: readonly Field[]): string {
  const rows = fields.map(field => `| \`${field.name}\` | ${field.meaning}${more(elsewhere(field))} |\n`);
  return `| field | |\n|---|---|\n${rows.join('')}`;
}

/** Places without a document are in that of the configuration. */
function elsewhere(field: Field): Field {
  return field.see?.startsWith('#') ? { ...field, see: `configuration.md${field.see}` } : field;
}

function more({ see }: Field): string {
  if (see === undefined) return '';
  return ` See [${see.startsWith('#') ? 'below' : see}](${see}).`;
}

function defaultOf({ schema, byDefault }: Field): string {
  if (byDefault !== undefined) return byDefault;
  const absent = schema.safeParse(undefined);
  if (!absent.success) return 'required';
  const value: unknown = absent.data;
  if (value === undefined) return 'none';
  const isList = Array.isArray(value) && value.length > 0;
  return `\`${isList ? value.join(' ') : typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** A user has no defaults: what an entry leaves out is not set. */
function userTable(shape: Readonly<Record<string, z.ZodType>>): string {
  const rows = Object.entries(shape).map(([name, { description }]) => `| \`${name}\` | ${description} |\n`);
  return `| field | |\n|---|---|\n${rows.join('')}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const path of Object.values(DOCUMENTS)) {
    writeFileSync(path, await withFieldTables(readFileSync(path, 'utf8')));
  }
}
