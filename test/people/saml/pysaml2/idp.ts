import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../scripts/free-port.ts';
import { ensurePysaml2 } from '../../../../scripts/pysaml2.ts';
import { selfSigned } from '../../../../src/people/saml/certificate.rules.ts';
import { generateSystemKeyPair } from '../../../../src/platform/crypto/key-pair.ts';
import { listening } from '../../../clients/listening.ts';

/** A real identity provider of another project (pysaml2, which signs and encrypts with xmlsec1). */
export interface Idp {
  readonly base: string;
  /** What the provider does from now on. */
  set(state: IdpState): Promise<void>;
  /** How the last request arrived, and whose session the last one was to end. */
  seen(): Promise<{
    readonly binding: string;
    readonly signed: boolean;
    readonly name_id?: string;
    /** Of the answer to a request of its own to sign out. */
    readonly status?: string;
    readonly relay_state?: string;
    readonly session_index?: readonly string[];
  }>;
  close(): Promise<void>;
}

export interface IdpState {
  readonly key?: 'first' | 'second';
  readonly sign_response?: boolean;
  readonly sign_assertion?: boolean;
  /** `default`: as pysaml2 does it, with Triple DES. */
  readonly encrypt?: 'aes-gcm' | 'default' | null;
  readonly wants_signed?: boolean;
  readonly bindings?: readonly ('redirect' | 'post')[];
  readonly subject?: string;
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>;
}

const installed = ensurePysaml2();

/** `metadata`: of the service provider that it knows, as it would be uploaded. */
export async function startIdp(base: string, metadata: string): Promise<Idp> {
  if (installed.kind === 'missing') throw new Error(installed.advice);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-idp-'));
  for (const name of ['first', 'second']) await writeKey(folder, name);
  const known = join(folder, 'sp.xml');
  writeFileSync(known, metadata);
  const script = fileURLToPath(new URL('idp.py', import.meta.url));
  const child = spawn(installed.python, [script, base, folder, installed.xmlsec, known], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  let printed = '';
  child.stderr.on('data', piece => {
    printed += piece;
  });
  await listening(Number(new URL(base).port), child, () => printed);
  return {
    base,
    set: async state => {
      await fetch(`${base}/state`, { method: 'POST', body: JSON.stringify(state) });
    },
    seen: async () => (await fetch(`${base}/seen`)).json() as ReturnType<Idp['seen']>,
    close: async () => {
      process.removeListener('exit', stop);
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Where the next one will be. */
export async function idpAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

async function writeKey(folder: string, name: string): Promise<void> {
  const pair = await generateSystemKeyPair('RS256');
  const certificate = selfSigned(pair, name, Date.parse('2026-01-01T00:00:00Z') / 1000).toString('base64');
  const lines = certificate.match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  writeFileSync(join(folder, `${name}.key`), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(folder, `${name}.pem`), pem);
}
