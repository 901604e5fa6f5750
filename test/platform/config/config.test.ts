import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Config, readConfig } from '../../../src/platform/config/config.ts';

const SECRET = 's'.repeat(32);

function valid(env: Record<string, string> = {}): Config {
  const read = readConfig(env);
  assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
  return read.config;
}

function faults(env: Record<string, string>): readonly string[] {
  const read = readConfig(env);
  assert(read.kind === 'faulty', 'the settings were accepted');
  return read.faults;
}

describe('settings (running.md, Environment)', () => {
  it('have the documented defaults', () => {
    const { trustedProxies, outbound, settings, ...rest } = valid();
    assert.deepEqual(rest, {
      port: 3000,
      host: '127.0.0.1',
      baseUrl: 'http://localhost:3000',
      docsUrl: 'http://localhost:3000/docs/errors',
      database: { kind: 'sqlite', url: 'sqlite:data/gatehouse.db', path: 'data/gatehouse.db' },
      databaseTimeoutMs: 5000,
      spread: new Map(),
      telemetry: undefined,
      secrets: undefined,
      tls: undefined,
      clientCertificates: undefined,
      maxConnectionsPerAddress: 1000,
      passwordRangeUrl: undefined,
      mail: { destination: { kind: 'file', folder: 'data/outbox' }, from: 'no-reply@localhost' },
      demo: true,
      apiDocs: 'public',
      operatorMfa: 'optional',
      workers: 1,
      metrics: undefined,
      eventsRetentionDays: 400,
      eventStreams: [],
      logLevel: 'info',
    });
    assert.equal(trustedProxies.check('127.0.0.1'), false);
    assert.equal(outbound.allowed.check('127.0.0.1'), false);
    assert.equal(outbound.timeoutMs, 5000);
  });

  it('derive the base address from the port, and the docs address from the base address', () => {
    assert.equal(valid({ PORT: '8080' }).baseUrl, 'http://localhost:8080');
    assert.equal(valid({ BASE_URL: 'https://id.example' }).docsUrl, 'https://id.example/docs/errors');
  });

  it('that are empty count as unset', () => {
    assert.deepEqual(valid({ PORT: '', BASE_URL: '', GATEHOUSE_SECRET: '', LOG_LEVEL: '' }), valid());
  });

  it('of other programs are ignored', () => {
    assert.deepEqual(valid({ NODE_ENV: 'x', GATEWAY: 'y' }), valid());
  });

  const readings: readonly (readonly [Record<string, string>, Partial<Config>])[] = [
    [{ PORT: '65535' }, { port: 65535 }],
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ BASE_URL: 'https://id.example/' }, { baseUrl: 'https://id.example' }],
    [{ BASE_URL: 'https://id.example:8443' }, { baseUrl: 'https://id.example:8443' }],
    [{ PASSWORD_RANGE_URL: 'https://range.example/range/' }, { passwordRangeUrl: 'https://range.example/range' }],
    [
      { TLS_PORT: '8443', TLS_CERT: '/c.pem', TLS_KEY: '/k.pem', BASE_URL: 'https://id.example' },
      {
        tls: { port: 8443, certificate: '/c.pem', key: '/k.pem' },
        clientCertificates: { header: undefined, authorities: undefined, baseUrl: 'https://id.example:8443' },
      },
    ],
    [
      { CLIENT_CERTIFICATE_HEADER: 'Client-Cert', TRUSTED_PROXIES: '10.0.0.1', TLS_CLIENT_CA: '/a.pem' },
      { clientCertificates: { header: 'client-cert', authorities: '/a.pem', baseUrl: undefined } },
    ],
    [{ DOCS_URL: 'https://docs.example/errors/' }, { docsUrl: 'https://docs.example/errors' }],
    [
      { DATABASE_URL: 'sqlite:/var/lib/g.db' },
      { database: { kind: 'sqlite', url: 'sqlite:/var/lib/g.db', path: '/var/lib/g.db' } },
    ],
    [
      { DATABASE_URL: 'postgres://g:pw@db.example/gatehouse', GATEHOUSE_SECRET: SECRET },
      {
        database: {
          kind: 'postgres',
          url: 'postgres://g:pw@db.example/gatehouse',
          hosts: ['postgres://g:pw@db.example/gatehouse'],
        },
      },
    ],
    [
      { DATABASE_URL: 'postgresql://g:p%40w@a.example:5433,[::1]/g?sslmode=require', GATEHOUSE_SECRET: SECRET },
      {
        database: {
          kind: 'postgres',
          url: 'postgresql://g:p%40w@a.example:5433,[::1]/g?sslmode=require',
          hosts: ['postgres://g:p%40w@a.example:5433/g?sslmode=require', 'postgres://g:p%40w@[::1]/g?sslmode=require'],
        },
      },
    ],
    [
      {
        DATABASE_URL: 'postgres://g@pooler.example/g',
        DATABASE_LISTEN_URL: 'postgres://g@a.example,b.example/g',
        DATABASE_TIMEOUT: '2.5',
        GATEHOUSE_SECRET: SECRET,
      },
      {
        database: {
          kind: 'postgres',
          url: 'postgres://g@pooler.example/g',
          hosts: ['postgres://g@pooler.example/g'],
          direct: { hosts: ['postgres://g@a.example/g', 'postgres://g@b.example/g'], roleTimeoutMs: 2500 },
        },
      },
    ],
    [{ GATEHOUSE_METRICS_PORT: '9464' }, { metrics: { port: 9464, host: '127.0.0.1', token: undefined } }],
    [
      { GATEHOUSE_METRICS_PORT: '9464', GATEHOUSE_METRICS_HOST: '::1', HOST: '0.0.0.0' },
      { metrics: { port: 9464, host: '::1', token: undefined }, host: '0.0.0.0' },
    ],
    [
      { GATEHOUSE_METRICS_TOKEN: 'sixteen-letters!' },
      { metrics: { port: undefined, host: '127.0.0.1', token: 'sixteen-letters!' } },
    ],
    [{ GATEHOUSE_METRICS_HOST: '::1' }, { metrics: undefined }],
    [{ GATEHOUSE_SECRET: SECRET }, { secrets: [SECRET] }],
    [{ GATEHOUSE_SECRET: `${SECRET}a, ${SECRET}b` }, { secrets: [`${SECRET}a`, `${SECRET}b`] }],
    [{ GATEHOUSE_SECRET: '密'.repeat(11) }, { secrets: ['密'.repeat(11)] }],
    [{ GATEHOUSE_DEMO: 'false' }, { demo: false }],
    [{ BASE_URL: 'https://localhost:3000' }, { demo: true }],
    [{ BASE_URL: 'http://127.0.0.1:3000' }, { demo: true }],
    [{ BASE_URL: 'http://[::1]:3000' }, { demo: true, operatorMfa: 'optional' }],
    [{ BASE_URL: 'https://id.example' }, { demo: false, operatorMfa: 'required' }],
    [{ BASE_URL: 'https://id.example', GATEHOUSE_OPERATOR_MFA: 'optional' }, { operatorMfa: 'optional' }],
    [{ GATEHOUSE_OPERATOR_MFA: 'required' }, { operatorMfa: 'required' }],
    [{ BASE_URL: 'https://localhost.example' }, { demo: false }],
    [{ BASE_URL: 'https://127.0.0.1.example' }, { demo: false }],
    [{ BASE_URL: 'https://192.168.1.7' }, { demo: false }],
    [
      { BASE_URL: 'http://id.example', GATEHOUSE_ALLOW_HTTP: 'true' },
      { baseUrl: 'http://id.example', demo: false },
    ],
    [{ BASE_URL: 'https://id.example', GATEHOUSE_ALLOW_HTTP: 'false' }, { baseUrl: 'https://id.example' }],
    [{ DATABASE_URL: 'postgres://g@db.example/g', GATEHOUSE_SECRET: SECRET }, { demo: false }],
    [{ DATABASE_URL: 'postgres://g@db.example/g', GATEHOUSE_SECRET: SECRET, GATEHOUSE_DEMO: 'true' }, { demo: true }],
    [
      { DATABASE_URL: 'postgres://g@db.example/g', GATEHOUSE_SECRET: SECRET, GATEHOUSE_CITUS: 'true' },
      {
        database: {
          kind: 'postgres',
          url: 'postgres://g@db.example/g',
          hosts: ['postgres://g@db.example/g'],
          citus: true,
        },
      },
    ],
    [
      {
        DATABASE_URL: 'postgres://g@db.example/g',
        GATEHOUSE_SECRET: SECRET,
        GATEHOUSE_CITUS: 'true',
        GATEHOUSE_CITUS_SPREAD: 'shop:256, pay:2',
      },
      {
        spread: new Map([
          ['shop', 256],
          ['pay', 2],
        ]),
      },
    ],
    [{ DATABASE_TIMEOUT: '12' }, { databaseTimeoutMs: 12_000 }],
    [{ DATABASE_TIMEOUT: '0.25' }, { databaseTimeoutMs: 250 }],
    [{ GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: '0' }, { maxConnectionsPerAddress: 0 }],
    [{ GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: '50' }, { maxConnectionsPerAddress: 50 }],
    [{ GATEHOUSE_WORKERS: '4' }, { workers: 4 }],
    [{ GATEHOUSE_WORKERS: 'auto' }, { workers: 'auto' }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  ];
  for (const [env, expected] of readings) {
    it(`${JSON.stringify(env)} is read`, () => {
      const config = valid(env);
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(config[name as keyof Config], value);
    });
  }

  it('name proxies by address and by network, of both families', () => {
    const { trustedProxies } = valid({ TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.7,fd00::/8,::1' });
    for (const address of ['10.255.0.1', '192.168.1.7']) assert.equal(trustedProxies.check(address, 'ipv4'), true);
    for (const address of ['fd12::1', '::1']) assert.equal(trustedProxies.check(address, 'ipv6'), true);
    for (const address of ['11.0.0.1', '192.168.1.8']) assert.equal(trustedProxies.check(address, 'ipv4'), false);
    assert.equal(trustedProxies.check('fe80::1', 'ipv6'), false);
  });

  for (const [name, value] of [
    ['PORT', 'http'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3000 '],
    ['PORT', '0x50'],
    ['BASE_URL', 'id.example'],
    ['BASE_URL', 'https://id.example/path'],
    ['BASE_URL', 'https://id.example?x'],
    ['BASE_URL', 'https://ID.example'],
    ['BASE_URL', 'https://user@id.example'],
    ['BASE_URL', 'https://id.example:443'],
    ['BASE_URL', 'ftp://id.example'],
    ['BASE_URL', 'http://id.example'],
    ['BASE_URL', 'http://192.168.1.7:3000'],
    ['BASE_URL', 'http://10.0.0.1'],
    ['BASE_URL', 'http://localhost.example'],
    ['GATEHOUSE_ALLOW_HTTP', 'yes'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'gatehouse.db'],
    ['DATABASE_URL', 'postgres://'],
    ['DATABASE_URL', 'postgres://db.example'],
    ['DATABASE_URL', 'postgres://db.example:port/gatehouse'],
    ['DATABASE_URL', 'postgres://a.example,/gatehouse'],
    ['DOCS_URL', 'docs.example'],
    ['DOCS_URL', 'javascript:alert(1)'],
    ['GATEHOUSE_SECRET', 's'.repeat(31)],
    ['GATEHOUSE_SECRET', `${SECRET},short`],
    ['GATEHOUSE_SECRET', `${SECRET},`],
    ['TRUSTED_PROXIES', 'proxy.example'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/'],
    ['TRUSTED_PROXIES', '10.0.0.0/x'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/9'],
    ['TRUSTED_PROXIES', '::1/129'],
    ['TRUSTED_PROXIES', '10.0.0.1 10.0.0.2'],
    ['GATEHOUSE_DEMO', 'yes'],
    ['GATEHOUSE_OPERATOR_MFA', 'true'],
    ['GATEHOUSE_API_DOCS', 'true'],
    ['DATABASE_LISTEN_URL', 'sqlite:gatehouse.db'],
    ['DATABASE_LISTEN_URL', 'postgres://'],
    ['DATABASE_LISTEN_URL', 'postgres://g@db.example/g'],
    ['GATEHOUSE_CITUS', 'yes'],
    ['GATEHOUSE_CITUS', 'true'],
    ['GATEHOUSE_CITUS_SPREAD', 'shop'],
    ['GATEHOUSE_CITUS_SPREAD', 'shop:1'],
    ['GATEHOUSE_CITUS_SPREAD', 'shop:257'],
    ['GATEHOUSE_CITUS_SPREAD', 'shop:8,shop:4'],
    ['GATEHOUSE_CITUS_SPREAD', 'shop:8,,pay:4'],
    ['GATEHOUSE_CITUS_SPREAD', 'shop:8'],
    ['DATABASE_TIMEOUT', '0'],
    ['DATABASE_TIMEOUT', '-1'],
    ['DATABASE_TIMEOUT', '301'],
    ['DATABASE_TIMEOUT', '5s'],
    ['DATABASE_TIMEOUT', 'soon'],
    ['GATEHOUSE_OUTBOUND_TIMEOUT', '0'],
    ['GATEHOUSE_OUTBOUND_TIMEOUT', '301'],
    ['GATEHOUSE_OUTBOUND_TIMEOUT', 'never'],
    ['GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS', '-1'],
    ['GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS', 'many'],
    ['GATEHOUSE_WORKERS', '0'],
    ['GATEHOUSE_WORKERS', 'many'],
    ['GATEHOUSE_METRICS_PORT', '0'],
    ['GATEHOUSE_METRICS_PORT', '3000'],
    ['GATEHOUSE_METRICS_PORT', '65536'],
    ['GATEHOUSE_METRICS_TOKEN', 'fifteen-letters'],
    ['GATEHOUSE_METRICS_TOKEN', 'a token with spaces in it'],
    ['LOG_LEVEL', 'verbose'],
    ['GATEHOUSE_SECRETS', SECRET],
    ['GATEHOUSE_PORT', '3000'],
  ] as const) {
    it(`${name}=${value} is one fault that begins with the name`, () => {
      const found = faults({ [name]: value });
      assert.equal(found.length, 1);
      assert.match(found[0] ?? '', new RegExp(`^${name}: \\S`));
      assert.doesNotMatch(found[0] ?? '', /\n/);
    });
  }

  it('need a secret with PostgreSQL, since the nodes have nowhere to share a generated one', () => {
    const found = faults({ DATABASE_URL: 'postgres://g@db.example/gatehouse' });
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /^GATEHOUSE_SECRET: is required/);
  });

  it('refuse a pooler by transaction in front of Citus, which has settings of its own', () => {
    const found = faults({
      DATABASE_URL: 'postgres://g@pooler.example/g',
      DATABASE_LISTEN_URL: 'postgres://g@db.example/g',
      GATEHOUSE_CITUS: 'true',
      GATEHOUSE_SECRET: SECRET,
    });
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /^DATABASE_LISTEN_URL: .*Citus/);
  });

  it('allow plain http beyond this machine only when they say so, and the fault tells how', () => {
    const [line = ''] = faults({ BASE_URL: 'http://id.example' });
    assert.match(line, /^BASE_URL: must be an https address.*GATEHOUSE_ALLOW_HTTP=true/);
  });

  it('refuse a demo beyond this machine: anyone could sign in with the credentials it prints', () => {
    const found = faults({ BASE_URL: 'https://id.example', GATEHOUSE_DEMO: 'true' });
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /^GATEHOUSE_DEMO: .*localhost/);
  });

  it('are all reported at once, one line each', () => {
    const found = faults({ PORT: 'x', LOG_LEVEL: 'x', GATEHOUSE_DEMO: 'x', GATEHOUSE_TYPO: 'x' });
    assert.deepEqual(found.map(line => line.split(':')[0]).sort(), [
      'GATEHOUSE_DEMO',
      'GATEHOUSE_TYPO',
      'LOG_LEVEL',
      'PORT',
    ]);
  });

  const ofTls: readonly (readonly [Record<string, string>, readonly string[]])[] = [
    [{ TLS_PORT: '8443' }, ['TLS_CERT', 'TLS_KEY']],
    [{ TLS_CERT: '/c.pem', TLS_KEY: '/k.pem' }, ['TLS_CERT', 'TLS_KEY']],
    [{ TLS_PORT: '3000', TLS_CERT: '/c.pem', TLS_KEY: '/k.pem' }, ['TLS_PORT']],
    [{ CLIENT_CERTIFICATE_HEADER: 'Client-Cert' }, ['CLIENT_CERTIFICATE_HEADER']],
    [{ CLIENT_CERTIFICATE_HEADER: 'two words', TRUSTED_PROXIES: '::1' }, ['CLIENT_CERTIFICATE_HEADER']],
    [{ TLS_CLIENT_CA: '/a.pem', MTLS_BASE_URL: 'https://mtls.example' }, ['TLS_CLIENT_CA', 'MTLS_BASE_URL']],
    [
      { CLIENT_CERTIFICATE_HEADER: 'Client-Cert', TRUSTED_PROXIES: '::1', MTLS_BASE_URL: 'http://mtls.example' },
      ['MTLS_BASE_URL'],
    ],
  ];
  for (const [env, names] of ofTls) {
    it(`${Object.keys(env).join(', ')}: a header counts from proxies alone, and nothing is set in vain`, () => {
      assert.deepEqual(
        faults(env).map(line => line.split(':')[0]),
        names,
      );
    });
  }

  it('that contradict each other are reported beside one that does not exist', () => {
    const found = faults({ DATABASE_URL: 'postgres://g@db.example/gatehouse', GATEHOUSE_TYPO: 'x' });
    assert.deepEqual(found.map(line => line.split(':')[0]).sort(), ['GATEHOUSE_SECRET', 'GATEHOUSE_TYPO']);
  });

  it('never show a secret in a fault', () => {
    for (const name of ['GATEHOUSE_SECRET', 'GATEHOUSE_METRICS_TOKEN']) {
      const [line = ''] = faults({ [name]: 'hunter2' });
      assert.doesNotMatch(line, /hunter2/);
    }
  });
});

describe('settings as an operator sees them', () => {
  const shown = (env: Record<string, string>) =>
    Object.fromEntries(valid(env).settings.map(({ name, value, source }) => [name, [value, source]]));

  it('say where each came from: the environment, a default, other settings, a generated file', () => {
    const settings = shown({ PORT: '3000', TRUSTED_PROXIES: '10.0.0.0/8, ::1', GATEHOUSE_METRICS_PORT: '9090' });
    assert.deepEqual(settings.PORT, ['3000', 'environment'], 'also where it is the default');
    assert.deepEqual(settings.HOST, ['127.0.0.1', 'default']);
    assert.deepEqual(settings.BASE_URL, ['http://localhost:3000', 'derived']);
    assert.deepEqual(settings.DATABASE_URL, ['sqlite:data/gatehouse.db', 'default']);
    assert.deepEqual(settings.DATABASE_TIMEOUT, ['5', 'default']);
    assert.deepEqual(settings.TRUSTED_PROXIES, ['10.0.0.0/8, ::1', 'environment']);
    assert.deepEqual(settings.GATEHOUSE_OUTBOUND_ALLOW, [undefined, 'default']);
    assert.deepEqual(settings.GATEHOUSE_OUTBOUND_TIMEOUT, ['5', 'default']);
    assert.deepEqual(settings.GATEHOUSE_DEMO, ['true', 'derived']);
    assert.deepEqual(settings.GATEHOUSE_METRICS_HOST, ['127.0.0.1', 'derived']);
    assert.equal(settings.GATEHOUSE_SECRET?.[1], 'generated');
  });

  it('mask every secret', () => {
    const secrets = [SECRET, 't'.repeat(40), 'metrics-token-123', 'db-password', 'key-password'];
    const settings = valid({
      DATABASE_URL: 'postgres://g:db-password@a.example,b.example/g?sslmode=require&sslpassword=key-password',
      GATEHOUSE_SECRET: `${secrets[0]},${secrets[1]}`,
      GATEHOUSE_METRICS_TOKEN: 'metrics-token-123',
      DOCS_URL: 'https://me@here:db-password@docs.example/',
      PASSWORD_RANGE_URL: 'https:me:db-password@range.example',
    }).settings;
    const text = JSON.stringify(settings);
    for (const secret of secrets) assert(!text.includes(secret), secret);
    assert.match(text, /postgres:\/\/g:•+@a\.example,b\.example\/g\?sslmode=require&sslpassword=•+"/);
    assert.match(text, /"GATEHOUSE_SECRET","value":"•+, •+","source":"environment"/);
  });
});

describe('mail settings (accounts.md, Mail)', () => {
  const POSTGRES = { DATABASE_URL: 'postgres://u@db/x', GATEHOUSE_SECRET: SECRET };
  const destination = (env: Record<string, string>) => valid(env).mail?.destination;

  it('are the folder outbox beside the embedded store, and no mail with PostgreSQL', () => {
    assert.deepEqual(destination({ DATABASE_URL: 'sqlite:/var/lib/x.db' }), {
      kind: 'file',
      folder: '/var/lib/outbox',
    });
    assert.equal(valid(POSTGRES).mail, undefined);
    assert.equal(valid({ MAIL_URL: 'none' }).mail, undefined);
  });

  it('name a folder', () => {
    assert.deepEqual(destination({ MAIL_URL: 'file:///var/out%20box' }), { kind: 'file', folder: '/var/out box' });
    assert.deepEqual(destination({ MAIL_URL: 'file:out' }), { kind: 'file', folder: 'out' });
  });

  it('name a mail server, with its port, its login and its kind of encryption', () => {
    const server = { kind: 'smtp', host: 'mail.example', port: 587, secure: false, login: undefined };
    assert.deepEqual(destination({ ...POSTGRES, MAIL_URL: 'smtp://mail.example' }), server);
    assert.deepEqual(destination({ MAIL_URL: 'smtps://mail.example' }), { ...server, port: 465, secure: true });
    assert.deepEqual(destination({ MAIL_URL: 'smtp://[::1]:25/' }), { ...server, host: '::1', port: 25 });
    assert.deepEqual(destination({ MAIL_URL: 'smtp://a%40b.example:p%2Fw@mail.example:2525' }), {
      ...server,
      port: 2525,
      login: { user: 'a@b.example', password: 'p/w' },
    });
  });

  it('have a sender on the host of BASE_URL, unless MAIL_FROM names one', () => {
    assert.equal(valid({ BASE_URL: 'https://id.example' }).mail?.from, 'no-reply@id.example');
    assert.equal(valid({ MAIL_FROM: 'Ex Ample <a@b.example>' }).mail?.from, 'Ex Ample <a@b.example>');
  });

  const wrong: readonly (readonly [string, string])[] = [
    ...['mail.example', 'http://mail.example', 'smtp://', 'smtp://user@mail.example', 'smtp://mail.example/path'].map(
      value => ['MAIL_URL', value] as const,
    ),
    ...['smtp://h?x=1', 'file:', 'file://host/folder', 'smtp://a:%ff@h'].map(value => ['MAIL_URL', value] as const),
    ...['x', 'a@b, c@d', 'A <a@b>, c@d', 'a@b\r\nBcc: c@d', 'A\nB <a@b>', '<a@b>'].map(
      value => ['MAIL_FROM', value] as const,
    ),
  ];
  for (const [name, value] of wrong) {
    it(`${name}=${JSON.stringify(value)} is a fault`, () => {
      const [fault = '', ...more] = faults({ [name]: value });
      assert(fault.startsWith(`${name}: must be`) && more.length === 0, fault);
    });
  }

  it('show no password to an operator, also beside an unencoded @', () => {
    const shown = (url: string) =>
      valid({ MAIL_URL: url })
        .settings.find(({ name }) => name === 'MAIL_URL')
        ?.value?.replace(/•+/, '•');
    assert.equal(shown('smtps://user:hush-hush@mail.example'), 'smtps://user:•@mail.example');
    assert.equal(shown('smtp://bob@a.example:hush@smtp.a.example:587'), 'smtp://bob@a.example:•@smtp.a.example:587');
    assert.equal(shown('smtp://bob:hu@sh:hu@sh@mail.example'), 'smtp://bob:•@mail.example');
    assert.equal(shown('smtp://mail.example:587'), 'smtp://mail.example:587');
  });
});
