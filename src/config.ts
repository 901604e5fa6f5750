import type { BlockList } from 'node:net';
import { z } from 'zod';
import { DATABASE_FORMS, type DatabaseAddress, parseDatabaseAddress } from './database-address.ts';
import {
  defaultMailDestination,
  defaultMailFrom,
  type MailSettings,
  readMailFrom,
  readMailUrl,
} from './mail-settings.ts';
import { parseNetworks } from './network-address.ts';
import { levels } from './observe/log.ts';
import { isLoopbackHost } from './protocol/redirect-uri.ts';
import { DEFAULT_TIMEOUT_MS } from './store/database-timeouts.ts';

/** The settings from the environment, after their check. All faults are reported together; an unknown GATEHOUSE_* name is one. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Public origin, without a trailing slash. */
  readonly baseUrl: string;
  readonly docsUrl: string;
  readonly database: DatabaseAddress;
  /** How long a request waits for all its database operations, from its arrival. */
  readonly databaseTimeoutMs: number;
  /** Newest first; undefined: a generated one in a file beside the embedded store. */
  readonly secrets: readonly string[] | undefined;
  readonly trustedProxies: BlockList;
  /** Open connections from one IPv4 address or /64 of IPv6; 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Private networks that back-channel logout, webhooks and the range service may reach, in addition to public addresses. */
  readonly outboundAllowed: BlockList;
  /** The range service that knows breached passwords, without a trailing slash; undefined: none is asked. */
  readonly passwordRangeUrl: string | undefined;
  /** Undefined: the server sends no mail, and offers nothing that needs it. */
  readonly mail: MailSettings | undefined;
  /** Whether an empty store gets the demo application. */
  readonly demo: boolean;
  readonly workers: number | 'auto';
  /** Undefined: metrics are off and nothing is timed. */
  readonly metrics: MetricsSettings | undefined;
  /** How long events of the audit log are kept. */
  readonly eventsRetentionDays: number;
  readonly logLevel: (typeof levels)[number];
  /** All of them as an operator may see them, and where each came from. */
  readonly settings: readonly Setting[];
}

export interface Setting {
  readonly name: SettingName;
  /** As in the environment, secrets masked. Undefined: not set, and without a default. */
  readonly value: string | undefined;
  /** `derived`: from other settings. `generated`: by the server, into a file of its own. */
  readonly source: 'environment' | 'default' | 'derived' | 'generated';
}

export interface MetricsSettings {
  /** A separate port; undefined: only /metrics on the main port, which requires the token. */
  readonly port: number | undefined;
  readonly host: string;
  readonly token: string | undefined;
}

export type ConfigResult =
  | { readonly kind: 'valid'; readonly config: Config }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

const MIN_SECRET_BYTES = 32;
const MIN_METRICS_TOKEN_LENGTH = 16;
const KNOWN_NAMES = [
  'GATEHOUSE_SECRET',
  'GATEHOUSE_ALLOW_HTTP',
  'GATEHOUSE_DEMO',
  'GATEHOUSE_WORKERS',
  'GATEHOUSE_OUTBOUND_ALLOW',
  'GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS',
  'GATEHOUSE_METRICS_PORT',
  'GATEHOUSE_METRICS_HOST',
  'GATEHOUSE_METRICS_TOKEN',
  'GATEHOUSE_EVENTS_RETENTION_DAYS',
];

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .refine(number => number <= 65535, 'must be at most 65535');

const flag = z.enum(['true', 'false'], 'must be true or false');
const MAIL_FORMS = 'must be smtp://user:password@host:587, smtps://user:password@host, file:///folder, or none';
const MAIL_FROM_FORMS = 'must be an e-mail address, or a name and an address such as Example <id@example.com>';
const TIMEOUT_RANGE = 'must be a number of seconds from 0.1 to 300';

const schema = z.object({
  PORT: port.default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  BASE_URL: z.string().transform(readOrigin).optional(),
  DATABASE_URL: z.string().default('sqlite:data/gatehouse.db').transform(readDatabase),
  DATABASE_TIMEOUT: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,3})?$/, TIMEOUT_RANGE)
    .transform(Number)
    .refine(seconds => seconds >= 0.1 && seconds <= 300, TIMEOUT_RANGE)
    .default(DEFAULT_TIMEOUT_MS / 1000),
  DOCS_URL: z.string().refine(isHttpUrl, 'must be an http or https address').optional(),
  GATEHOUSE_SECRET: z.string().transform(readSecrets).optional(),
  TRUSTED_PROXIES: z.string().default('').transform(readNetworks),
  GATEHOUSE_OUTBOUND_ALLOW: z.string().default('').transform(readNetworks),
  PASSWORD_RANGE_URL: z
    .string()
    .refine(isRangeUrl, 'must be an http or https address without a query, such as https://passwords.example.com/range')
    .transform(text => text.replace(/\/+$/, ''))
    .optional(),
  GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number from 0 (no limit) to 99999')
    .transform(Number)
    .default(1000),
  MAIL_URL: z
    .string()
    .transform((text, context) => readMailUrl(text) ?? fail<never>(context, MAIL_FORMS))
    .optional(),
  MAIL_FROM: z
    .string()
    .transform((text, context) => readMailFrom(text) ?? fail<never>(context, MAIL_FROM_FORMS))
    .optional(),
  GATEHOUSE_ALLOW_HTTP: flag.default('false'),
  GATEHOUSE_DEMO: flag.optional(),
  GATEHOUSE_WORKERS: z
    .string()
    .regex(/^(auto|[1-9]\d{0,2})$/, 'must be a number from 1 to 999, or auto')
    .default('1'),
  GATEHOUSE_METRICS_PORT: port.refine(number => number > 0, 'must be at least 1').optional(),
  GATEHOUSE_METRICS_HOST: z.string().optional(),
  GATEHOUSE_METRICS_TOKEN: z
    .string()
    .regex(
      new RegExp(`^[\\x21-\\x7e]{${MIN_METRICS_TOKEN_LENGTH},}$`),
      `must have at least ${MIN_METRICS_TOKEN_LENGTH} visible ASCII characters`,
    )
    .optional(),
  GATEHOUSE_EVENTS_RETENTION_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, 'must be a number of days from 1 to 99999')
    .transform(Number)
    .default(400),
  LOG_LEVEL: z.enum(levels, `must be one of ${levels.join(', ')}`).default('info'),
});

export type SettingName = keyof (typeof schema)['shape'];

export function readConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(given);
  const faults = Object.keys(given)
    .filter(name => name.startsWith('GATEHOUSE_') && !KNOWN_NAMES.includes(name))
    .map(name => `${name}: there is no such setting`);
  if (!parsed.success) faults.push(...parsed.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`));
  if (parsed.success) faults.push(...contradictions(parsed.data));
  if (!parsed.success || faults.length > 0) return { kind: 'faulty', faults };
  const values = parsed.data;
  const baseUrl = values.BASE_URL ?? `http://localhost:${values.PORT}`;
  const config: Omit<Config, 'settings'> = {
    port: values.PORT,
    host: values.HOST,
    baseUrl,
    docsUrl: values.DOCS_URL?.replace(/\/+$/, '') ?? `${baseUrl}/docs/errors`,
    database: values.DATABASE_URL,
    databaseTimeoutMs: Math.round(values.DATABASE_TIMEOUT * 1000),
    secrets: values.GATEHOUSE_SECRET,
    trustedProxies: values.TRUSTED_PROXIES,
    maxConnectionsPerAddress: values.GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS,
    outboundAllowed: values.GATEHOUSE_OUTBOUND_ALLOW,
    passwordRangeUrl: values.PASSWORD_RANGE_URL,
    mail: mailSettings(values, baseUrl),
    demo:
      values.GATEHOUSE_DEMO === undefined
        ? values.DATABASE_URL.kind === 'sqlite' && isLoopback(baseUrl)
        : values.GATEHOUSE_DEMO === 'true',
    workers: values.GATEHOUSE_WORKERS === 'auto' ? 'auto' : Number(values.GATEHOUSE_WORKERS),
    metrics: metricsSettings(values),
    eventsRetentionDays: values.GATEHOUSE_EVENTS_RETENTION_DAYS,
    logLevel: values.LOG_LEVEL,
  };
  return { kind: 'valid', config: { ...config, settings: describeSettings(given, values, config) } };
}

function describeSettings(
  given: Readonly<Record<string, string | undefined>>,
  values: z.output<typeof schema>,
  { baseUrl, docsUrl, demo, database, metrics, secrets, mail }: Omit<Config, 'settings'>,
): Setting[] {
  const derived: Partial<Record<SettingName, string | undefined>> = {
    BASE_URL: baseUrl,
    DOCS_URL: docsUrl,
    GATEHOUSE_DEMO: String(demo),
    GATEHOUSE_METRICS_HOST: metrics?.host,
    MAIL_URL: mail?.destination.kind === 'file' ? `file:${mail.destination.folder}` : undefined,
    MAIL_FROM: mail?.from,
  };
  const plain = (value: unknown) => (value === undefined || typeof value === 'object' ? undefined : String(value));
  return (Object.keys(schema.shape) as SettingName[]).map((name): Setting => {
    const text = given[name];
    if (text !== undefined) return { name, value: masked(name, text), source: 'environment' };
    if (derived[name] !== undefined) return { name, value: derived[name], source: 'derived' };
    if (name === 'GATEHOUSE_SECRET' && secrets === undefined) return { name, value: MASK, source: 'generated' };
    return { name, value: name === 'DATABASE_URL' ? database.url : plain(values[name]), source: 'default' };
  });
}

const MASK = '••••••••';

/** Whoever reads it learns no secret, nor how long it is. */
function masked(name: SettingName, text: string): string {
  switch (name) {
    case 'GATEHOUSE_SECRET':
      return text
        .split(',')
        .map(() => MASK)
        .join(', ');
    case 'GATEHOUSE_METRICS_TOKEN':
      return MASK;
    default:
      // The password of postgres://user:password@host, and those in the query.
      return text.replace(/(:\/\/[^:@/]*):[^@/]*@/, `$1:${MASK}@`).replace(/(password=)[^&]*/gi, `$1${MASK}`);
  }
}

/** Faults of settings that are valid by themselves and contradict each other. */
function contradictions(values: z.output<typeof schema>): string[] {
  const faults: string[] = [];
  if (values.DATABASE_URL.kind === 'postgres' && values.GATEHOUSE_SECRET === undefined) {
    faults.push('GATEHOUSE_SECRET: is required with PostgreSQL, and must be the same on every node');
  }
  if (values.GATEHOUSE_METRICS_PORT !== undefined && values.GATEHOUSE_METRICS_PORT === values.PORT) {
    faults.push('GATEHOUSE_METRICS_PORT: must differ from PORT');
  }
  const isPublic = values.BASE_URL !== undefined && !isLoopback(values.BASE_URL);
  if (isPublic && values.BASE_URL?.startsWith('http:') && values.GATEHOUSE_ALLOW_HTTP === 'false') {
    faults.push(
      'BASE_URL: must be an https address, except on this machine, because plain http shows passwords to the network (GATEHOUSE_ALLOW_HTTP=true allows it)',
    );
  }
  if (isPublic && values.GATEHOUSE_DEMO === 'true') {
    faults.push('GATEHOUSE_DEMO: is made only where BASE_URL is localhost, 127.0.0.1 or [::1]');
  }
  return faults;
}

/** Whether the origin is on this machine: no other machine can reach it or read its traffic. */
function isLoopback(origin: string): boolean {
  return isLoopbackHost(new URL(origin).hostname);
}

function metricsSettings(values: z.output<typeof schema>): MetricsSettings | undefined {
  const { GATEHOUSE_METRICS_PORT: port, GATEHOUSE_METRICS_TOKEN: token } = values;
  if (port === undefined && token === undefined) return undefined;
  return { port, host: values.GATEHOUSE_METRICS_HOST ?? values.HOST, token };
}

/** The embedded store has a folder beside it where mail is written; with PostgreSQL there is no such place that all nodes share. */
function mailSettings(values: z.output<typeof schema>, baseUrl: string): MailSettings | undefined {
  const { MAIL_URL: url, MAIL_FROM: from = defaultMailFrom(baseUrl), DATABASE_URL: database } = values;
  if (url !== undefined) return url === 'none' ? undefined : { destination: url, from };
  return database.kind === 'sqlite' ? { destination: defaultMailDestination(database.path), from } : undefined;
}

function fail<T>(context: z.RefinementCtx, message: string): T {
  context.addIssue(message);
  return z.NEVER;
}

function readOrigin(text: string, context: z.RefinementCtx): string {
  const trimmed = text.replace(/\/$/, '');
  if (!isHttpUrl(trimmed) || new URL(trimmed).origin !== trimmed) {
    return fail(context, 'must be an origin such as https://id.example.com, in lower case and without a path');
  }
  return trimmed;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The beginning of a hash is appended to it as a path segment. */
function isRangeUrl(text: string): boolean {
  return isHttpUrl(text) && !/[?#]/.test(text);
}

function readDatabase(text: string, context: z.RefinementCtx): DatabaseAddress {
  return parseDatabaseAddress(text) ?? fail(context, DATABASE_FORMS);
}

function readSecrets(text: string, context: z.RefinementCtx): readonly string[] {
  const secrets = text.split(',').map(secret => secret.trim());
  return secrets.every(secret => Buffer.byteLength(secret) >= MIN_SECRET_BYTES)
    ? secrets
    : fail(context, `every secret must have at least ${MIN_SECRET_BYTES} bytes (several are separated by commas)`);
}

function readNetworks(text: string, context: z.RefinementCtx): BlockList {
  const networks = parseNetworks(text);
  return 'unusable' in networks
    ? fail(context, `"${networks.unusable}" is neither an address nor a network such as 10.0.0.0/8`)
    : networks;
}
