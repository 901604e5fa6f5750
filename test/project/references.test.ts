import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter(path => path !== '' && existsSync(join(ROOT, path)));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const code = tracked.filter(path => /^(src|test|bench|scripts)\/.*\.ts$/.test(path));
const documents = tracked.filter(path => path.endsWith('.md'));
const paths = new Set(tracked);

describe('what comments and documents refer to', () => {
  it('row N is a decision of docs/decisions/protocol.md', () => {
    const rows = new Set([...read('docs/decisions/protocol.md').matchAll(/^\| (\d+[a-z]?) \|/gm)].map(([, n]) => n));
    const missing = code.flatMap(path =>
      [...read(path).matchAll(/\brows? (\d+[a-z]?(?:(?:, | and | to )\d+[a-z]?)*)/g)].flatMap(([, list = '']) =>
        list.split(/, | and | to /).flatMap(n => (rows.has(n) ? [] : [`${path}: row ${n}`])),
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('interface N.N is a section of docs/interface.md', () => {
    const sections = new Set([...read('docs/interface.md').matchAll(/^#+ (\d(?:\.\d)?)\.? /gm)].map(([, n]) => n));
    const missing = code.flatMap(path =>
      [...read(path).matchAll(/\binterface (\d(?:\.\d)?)\b/g)].flatMap(([, n]) =>
        sections.has(n) ? [] : [`${path}: interface ${n}`],
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('a path in a comment is a file', () => {
    const missing = code.flatMap(path =>
      commentsOf(read(path)).flatMap(comment =>
        [...comment.matchAll(/(?<![\w/.{-])((?:[a-z0-9-]+\/)+[a-z0-9.-]+\.(?:ts|md|json))\b/g)].flatMap(
          ([, name = '']) =>
            [name, `src/${name}`, normalize(join(dirname(path), name))].some(place => paths.has(place))
              ? []
              : [`${path}: ${name}`],
        ),
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('a link in a document leads to a file', () => {
    const missing = documents.flatMap(path =>
      [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].flatMap(([, link = '']) =>
        existsSync(join(ROOT, dirname(path), link)) ? [] : [`${path}: ${link}`],
      ),
    );
    assert.deepEqual(missing, []);
  });
});

function commentsOf(text: string): string[] {
  return [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<!:)\/\/ .*$/gm)].map(([comment]) => comment);
}
