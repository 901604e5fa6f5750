import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensureEnvironment } from './python.ts';

export type Pysaml2 =
  | { readonly kind: 'found'; readonly python: string; readonly xmlsec: string }
  | { readonly kind: 'missing'; readonly advice: string };

const XMLSEC = '/usr/bin/xmlsec1';
const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** A SAML identity provider of another project: pysaml2 from PyPI, which calls xmlsec1 of Debian. */
export function ensurePysaml2(): Pysaml2 {
  if (!existsSync(XMLSEC) && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stdout.write('Installing xmlsec1 for the SAML provider of the tests (apt-get install xmlsec1) …\n');
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', 'xmlsec1');
  }
  const advice = 'The tests with a SAML provider need xmlsec1 (Debian, Ubuntu: apt-get install xmlsec1).';
  if (!existsSync(XMLSEC)) return { kind: 'missing', advice };
  const environment = ensureEnvironment(at('test/people/saml/pysaml2/requirements.txt'), at('.cache/python'));
  return environment.kind === 'made' ? { kind: 'found', python: environment.python, xmlsec: XMLSEC } : environment;
}

function aptGet(...args: string[]): void {
  spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
