/**
 * `npm pack` begins with this: writes the sources as JavaScript to dist/, because Node.js executes no TypeScript in a folder below
 * node_modules. Types become blanks, so lines and columns of a stack trace are those of the sources.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAdminClient } from './admin-client.ts';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
const TARGET = fileURLToPath(new URL('../dist', import.meta.url));
/** What follows `from`, `import` or `import(`. */
const SPECIFIER = /(\b(?:from|import)\s*\(?\s*')(\.[^']*)\.ts'/g;

rmSync(TARGET, { recursive: true, force: true });
for (const entry of readdirSync(SOURCES, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const source = join(entry.parentPath, entry.name);
  const target = join(TARGET, source.slice(SOURCES.length)).replace(/\.ts$/, '.js');
  mkdirSync(dirname(target), { recursive: true });
  if (source.endsWith('.ts')) writeFileSync(target, toJavaScript(readFileSync(source, 'utf8')));
  else cpSync(source, target);
}

await writeAdminClient(join(TARGET, 'admin'));

function toJavaScript(text: string): string {
  return stripTypeScriptTypes(text).replaceAll(SPECIFIER, "$1$2.js'");
}
