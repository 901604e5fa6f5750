import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { memoryFolder } from '../../scripts/memory-folder.ts';
import { ensureSlapd } from '../../scripts/slapd.ts';
import { element, elementsOf, integer, integerOf, octets, TAG } from '../../src/people/ldap/ber.rules.ts';
import { bindRequest } from '../../src/people/ldap/message.rules.ts';
import { makeCertificate } from './certificate.ts';
import type { ProviderInput } from './fixture.ts';
import { until } from './until.ts';

/** A real directory: OpenLDAP's slapd on a database of its own, filled before it starts. */
export interface TestDirectory {
  readonly url: string;
  readonly tlsUrl: string;
  readonly port: number;
  /** The certificate that its TLS is to be believed by. */
  readonly ca: string;
  provider(over?: Partial<DirectoryInput>): DirectoryInput;
  /** As the administrator of the directory. */
  add(dn: string, attributes: Readonly<Record<string, string | readonly string[]>>): Promise<void>;
  remove(dn: string): Promise<void>;
  /** Without a value: the attribute is taken away. */
  replace(dn: string, attribute: string, value?: string): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export type DirectoryInput = ProviderInput & { readonly type: 'ldap' };

export interface DirectoryPerson {
  readonly uid: string;
  readonly password?: string;
  readonly [attribute: string]: string | readonly string[] | undefined;
}

export interface DirectoryContent {
  readonly people?: readonly DirectoryPerson[];
  /** Members are names of people, or of groups with `group:` before them. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** So many people more, `crowd-1` and so on. */
  readonly crowd?: number;
  /** More in LDIF, and in the configuration. */
  readonly ldif?: string;
  readonly settings?: string;
}

export const BASE = 'dc=corp,dc=example';
export const PEOPLE = `ou=people,${BASE}`;
export const GROUPS = `ou=groups,${BASE}`;
const ADMIN = { dn: `cn=admin,${BASE}`, password: 'of the administrator' };
export const SERVICE = { dn: `cn=gatehouse,${BASE}`, password: 'of gatehouse at corp' };

export function personDn(uid: string): string {
  return `uid=${uid.replaceAll('\\', '\\\\')},${PEOPLE}`;
}

export async function openDirectory(content: DirectoryContent = {}): Promise<TestDirectory> {
  const slapd = ensureSlapd();
  assert(slapd.kind === 'found', slapd.kind === 'missing' ? slapd.advice : '');
  const folder = mkdtempSync(join(memoryFolder(), 'gatehouse-slapd-'));
  mkdirSync(join(folder, 'data'));
  const ca = makeCertificate(folder);
  const config = join(folder, 'slapd.conf');
  writeFileSync(config, configuration(slapd, folder, content));
  writeFileSync(join(folder, 'content.ldif'), ldifOf(content));
  const env = { ...process.env, ...slapd.env };
  execFileSync(slapd.add, ['-q', '-f', config, '-l', join(folder, 'content.ldif')], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [port, tlsPort] = [await freePort(), await freePort()];
  const [url, tlsUrl] = [`ldap://127.0.0.1:${port}`, `ldaps://127.0.0.1:${tlsPort}`];
  let running: ChildProcess | undefined;

  const start = async () => {
    // It makes room for as many connections as files may be open.
    const command = `ulimit -n 1024; exec ${slapd.server} -f ${config} -h "${url}/ ${tlsUrl}/" -d 0`;
    running = spawn('sh', ['-c', command], { env, stdio: 'ignore' });
    await until('the directory listens', () => isListening(port));
  };
  const stop = async () => {
    const stopped = running;
    running = undefined;
    if (!stopped) return;
    stopped.kill('SIGKILL');
    await once(stopped, 'exit');
  };
  await start();
  return {
    url,
    tlsUrl,
    port,
    ca,
    provider: over => ({
      id: 'corp',
      type: 'ldap',
      name: 'Corp',
      url,
      bind_dn: SERVICE.dn,
      bind_password: SERVICE.password,
      search_base: PEOPLE,
      ...over,
    }),
    add: (dn, attributes) => {
      const list = Object.entries(attributes).map(([name, value]) =>
        element(TAG.sequence, octets(name), element(TAG.set, ...[value].flat().map(each => octets(each)))),
      );
      return asAdministrator(port, element(0x68, octets(dn), element(TAG.sequence, ...list)));
    },
    remove: dn => asAdministrator(port, octets(dn, 0x4a)),
    replace: (dn, attribute, value) => {
      const values = element(TAG.set, ...(value === undefined ? [] : [octets(value)]));
      const change = element(
        TAG.sequence,
        integer(2, TAG.enumerated),
        element(TAG.sequence, octets(attribute), values),
      );
      return asAdministrator(port, element(0x66, octets(dn), element(TAG.sequence, change)));
    },
    stop,
    start,
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(
  { schemas, modules }: { readonly schemas: string; readonly modules: string },
  folder: string,
  { settings = '' }: DirectoryContent,
): string {
  return `${['core', 'cosine', 'inetorgperson'].map(name => `include ${schemas}/${name}.schema`).join('\n')}
modulepath ${modules}
moduleload back_mdb
moduleload ppolicy
pidfile ${folder}/slapd.pid
threads 4
TLSCACertificateFile ${folder}/certificate.pem
TLSCertificateFile ${folder}/certificate.pem
TLSCertificateKeyFile ${folder}/key.pem
sizelimit 500
${settings}
database mdb
suffix "${BASE}"
rootdn "${ADMIN.dn}"
rootpw "${ADMIN.password}"
directory ${folder}/data
maxsize 1073741824
dbnosync
index objectClass,uid,mail,member,entryUUID eq
limits dn.exact="${SERVICE.dn}" size.soft=500 size.hard=500 size.prtotal=unlimited
access to attrs=userPassword by anonymous auth by * none
access to dn.exact="" by * read
access to * by dn.exact="${SERVICE.dn}" read by anonymous auth by * none
overlay ppolicy
`;
}

function ldifOf({ people = [], groups = {}, crowd = 0, ldif = '' }: DirectoryContent): string {
  const hash = hashOf('of the crowd');
  const many = Array.from({ length: crowd }, (_, index) => {
    const uid = `crowd-${index + 1}`;
    return `dn: ${personDn(uid)}
objectClass: inetOrgPerson
uid: ${uid}
cn: Crowd ${index + 1}
sn: ${index + 1}
mail: ${uid}@corp.example
userPassword: ${hash}
`;
  });
  return [
    `dn: ${BASE}
objectClass: domain
dc: corp
`,
    `dn: ${PEOPLE}
objectClass: organizationalUnit
ou: people
`,
    `dn: ${GROUPS}
objectClass: organizationalUnit
ou: groups
`,
    `dn: ${SERVICE.dn}
objectClass: applicationProcess
objectClass: simpleSecurityObject
cn: gatehouse
userPassword: ${hashOf(SERVICE.password)}
`,
    ...people.map(personLdif),
    ...many,
    ...Object.entries(groups).map(
      ([name, members]) => `dn: ${groupDn(name)}
objectClass: groupOfNames
cn: ${name}
${members.map(each => `member: ${memberDn(each)}`).join('\n')}
`,
    ),
    ldif,
  ].join('\n');
}

function personLdif({ uid, password = 'of the person', ...attributes }: DirectoryPerson): string {
  const all = { cn: uid, sn: uid, mail: `${uid}@corp.example`, ...attributes };
  const lines = Object.entries(all).flatMap(([name, values = []]) =>
    (Array.isArray(values) ? values : [values]).map(value => `${name}:: ${Buffer.from(value).toString('base64')}`),
  );
  return `dn:: ${Buffer.from(personDn(uid)).toString('base64')}
objectClass: inetOrgPerson
uid:: ${Buffer.from(uid).toString('base64')}
userPassword: ${hashOf(password)}
${lines.join('\n')}
`;
}

export function groupDn(name: string): string {
  return `cn=${name},${GROUPS}`;
}

function memberDn(name: string): string {
  return name.startsWith('group:') ? groupDn(name.slice('group:'.length)) : personDn(name);
}

/** Salted SHA-1, which costs a directory nothing. */
function hashOf(password: string): string {
  const salt = Buffer.from('salt');
  return `{SSHA}${Buffer.concat([createHash('sha1').update(password).update(salt).digest(), salt]).toString('base64')}`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A change, on a connection of its own. */
async function asAdministrator(port: number, operation: Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const ask = async (request: Buffer) => {
    socket.write(request);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const [whole] = elementsOf(answer);
    const [, result] = elementsOf(whole?.content ?? Buffer.alloc(0));
    const [code] = elementsOf(result?.content ?? Buffer.alloc(0));
    assert.equal(integerOf(code, TAG.enumerated), 0, answer.toString('latin1'));
  };
  await ask(bindRequest(1, ADMIN.dn, ADMIN.password));
  await ask(element(TAG.sequence, integer(2), operation));
  socket.destroy();
}
