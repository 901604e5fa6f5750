import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/platform/config/config.ts';
import { ROOT } from './outside.ts';

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const duration = z.string().regex(/^\d+s$/);
const network = z.strictObject({ ipv4_address: z.ipv4().optional() }).nullable();

/** The part of the Compose Specification that the file uses. Each object is strict, so that no misspelt name is passed over. */
const service = z.strictObject({
  image: z.string().regex(/^[a-z]+(:\d[\w.-]*)?$/),
  build: z.literal('.').optional(),
  environment: z.record(z.string().regex(/^[A-Z_]+$/), z.string()).optional(),
  volumes: z.array(z.string().regex(/^[\w./]+:\/[\w./]+(:ro)?$/)).optional(),
  ports: z.array(z.string().regex(/^\d+:\d+$/)).optional(),
  networks: z.union([z.array(z.string()), z.record(z.string(), network)]),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
  healthcheck: z
    .strictObject({
      test: z.tuple([z.literal('CMD')]).rest(z.string()),
      interval: duration,
      timeout: duration,
      retries: z.int(),
    })
    .optional(),
  read_only: z.literal(true),
  tmpfs: z.array(z.string().startsWith('/')).optional(),
  cap_drop: z.tuple([z.literal('ALL')]),
  cap_add: z.array(z.enum(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'])).optional(),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  shm_size: z
    .string()
    .regex(/^\d+m$/)
    .optional(),
  mem_limit: z
    .string()
    .regex(/^\d+m$/)
    .optional(),
  stop_grace_period: duration.optional(),
  restart: z.literal('unless-stopped'),
});
const file = z.strictObject({
  name: z.literal('gatehouse'),
  services: z.strictObject({ postgres: service, gatehouse: service, proxy: service }),
  networks: z.strictObject({
    back: z.strictObject({ internal: z.literal(true) }),
    front: z.strictObject({
      ipam: z.strictObject({ config: z.tuple([z.strictObject({ subnet: z.cidrv4() })]) }),
    }),
  }),
  volumes: z.strictObject({ database: z.null() }),
});

/** Environment of a service, with the variables of .env. Each must be required, or an empty secret would go unnoticed. */
function interpolated(environment: Readonly<Record<string, string>> = {}, env: Readonly<Record<string, string>> = {}) {
  const fill = (value: string) =>
    value.replaceAll(/\$\{(\w+)(:\?[^}]+)?\}/g, (_whole, name: string, required?: string) => {
      assert(required, `${name} is not required`);
      return env[name] ?? assert.fail(`.env has no ${name}`);
    });
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
}

describe('the Compose file (issue 13, point 3)', () => {
  const { services, networks } = file.parse(parse(read('compose.yaml')));
  const document = read('docs/operations.md');
  const namesOf = (list: z.infer<typeof service>['networks']) =>
    (Array.isArray(list) ? list : Object.keys(list)).sort();

  it('gives Gatehouse valid settings, out of the .env that docs/operations.md makes', () => {
    const names = [...document.matchAll(/echo "([A-Z_]+)=\$\(openssl rand -hex 32\)"/g)].map(([, name = '']) => name);
    assert.deepEqual(names.sort(), ['GATEHOUSE_SECRET', 'POSTGRES_PASSWORD']);
    const [, mail = ''] = /echo "MAIL_URL=(\S+)" >> \.env/.exec(document) ?? [];
    const secrets = Object.fromEntries(names.map(name => [name, '0123456789abcdef'.repeat(4)]));
    const env = { ...secrets, MAIL_URL: mail };
    const settings = interpolated(services.gatehouse.environment, env);
    const result = readConfig({ HOST: '0.0.0.0', ...settings });
    assert(result.kind === 'valid', JSON.stringify(result));
    const { database, demo, baseUrl } = result.config;
    assert(database.kind === 'postgres');
    assert.equal(demo, false);
    assert.equal(baseUrl, 'https://id.example.com');
    const own = interpolated(services.postgres.environment, env);
    const { username, password, hostname, pathname } = new URL(database.url);
    assert.deepEqual({ POSTGRES_USER: username, POSTGRES_PASSWORD: password, POSTGRES_DB: pathname.slice(1) }, own);
    assert(hostname in services);
  });

  it('believes X-Forwarded-For of the proxy alone', () => {
    const { front } = services.proxy.networks as Record<string, z.infer<typeof network>>;
    const address = front?.ipv4_address ?? assert.fail('the proxy has no fixed address');
    assert.equal(services.gatehouse.environment?.TRUSTED_PROXIES, address);
    const [subnet = '', bits] = networks.front.ipam.config[0].subnet.split('/');
    const list = new BlockList();
    list.addSubnet(subnet, Number(bits));
    assert(list.check(address));
  });

  it('publishes the ports of the proxy alone, and keeps PostgreSQL from everything but Gatehouse', () => {
    assert.deepEqual(services.proxy.ports, ['80:80', '443:443']);
    assert.equal(services.gatehouse.ports ?? services.postgres.ports, undefined);
    assert.deepEqual(namesOf(services.postgres.networks), ['back']);
    assert.deepEqual(namesOf(services.gatehouse.networks), ['back', 'front']);
    assert.deepEqual(namesOf(services.proxy.networks), ['front']);
  });

  it('names releases of the images of others, and builds its own', () => {
    for (const [name, { image, build }] of Object.entries(services)) {
      assert(build === '.' || /:\d/.test(image), name);
    }
  });

  it('mounts files that are there, except the certificate', () => {
    const own = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.filter(volume => volume.startsWith('./')),
    );
    const missing = own.map(volume => volume.split(':')[0] ?? '').filter(path => !existsSync(join(ROOT, path)));
    assert.deepEqual(missing, ['./certs']);
  });

  it('has nginx as docs/operations.md recommends it: only places differ', () => {
    const recommended = /```nginx\n([\s\S]*?)```/.exec(document)?.[1] ?? assert.fail('there is no configuration');
    const places: readonly (readonly [string, string])[] = [
      ['user www-data;', 'user nginx;'],
      ['/var/log/nginx/error.log', '/dev/stderr'],
      ['/var/log/nginx/access.log', '/dev/stdout'],
      ['server 127.0.0.1:3000;', 'server gatehouse:3000;'],
      ['        # Further nodes: server 10.0.0.12:3000;\n', ''],
      ['/etc/ssl/certs/id.example.com.pem', '/etc/nginx/certs/certificate.pem'],
      ['/etc/ssl/private/id.example.com.key', '/etc/nginx/certs/key.pem'],
    ];
    const expected = places.reduce((text, [documented, own]) => {
      assert.equal(text.split(documented).length, 2, documented);
      return text.replace(documented, own);
    }, recommended);
    assert.equal(read('packaging/nginx.conf').replace(/^#.*\n/, ''), expected);
  });
});
