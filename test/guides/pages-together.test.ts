import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { ROOT } from '../packaging/outside.ts';

interface Defined {
  readonly page: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Every client that an apply file of a page defines, by application and id. */
function clientsOfPages(pages: readonly (readonly [page: string, text: string])[]): Map<string, Defined[]> {
  const clients = new Map<string, Defined[]>();
  for (const [page, text] of pages) {
    for (const [, block = ''] of text.matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)) {
      const { applications } = (parse(block) ?? {}) as { applications?: unknown };
      if (!Array.isArray(applications)) continue;
      for (const { code, clients: listed = [] } of applications) {
        for (const { client_id, ...fields } of listed) {
          if (client_id === undefined) continue;
          const name = `${code}/${client_id}`;
          clients.set(name, [...(clients.get(name) ?? []), { page, fields }]);
        }
      }
    }
  }
  return clients;
}

/** What an entry leaves out stays as it is, so two pages disagree where both name a field. */
function disagreements(defined: readonly Defined[]): string[] {
  const [first, ...others] = defined;
  if (!first) return [];
  const found = others.flatMap(({ page, fields }) =>
    Object.entries(fields)
      .filter(([field, value]) => field in first.fields && !isDeepStrictEqual(first.fields[field], value))
      .map(([field]) => `${field} in ${first.page} and ${page}`),
  );
  return [...found, ...disagreements(others)];
}

describe('pages that are applied one after the other', () => {
  const files = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
  const clients = clientsOfPages(files.map(file => [file, readFileSync(`${ROOT}${file}`, 'utf8')] as const));

  it('have been read', () => assert(clients.size > 40, String(clients.size)));

  it('never change a client that another page has made', () => {
    const faults = [...clients].flatMap(([name, defined]) => disagreements(defined).map(each => `${name}: ${each}`));
    assert.deepEqual(faults, []);
  });

  it('would be found if they did', () => {
    const page = (uri: string) =>
      `\`\`\`yaml\napplications: [{ code: a, clients: [{ client_id: b, redirect_uris: ["${uri}"] }] }]\n\`\`\`\n`;
    const pages = [
      ['one.md', page('https://one.example/')],
      ['two.md', page('https://one.example/')],
      ['three.md', page('https://two.example/')],
    ] as const;
    const found = [...clientsOfPages(pages).values()].flatMap(disagreements);
    assert.deepEqual(found, ['redirect_uris in one.md and three.md', 'redirect_uris in two.md and three.md']);
  });
});
