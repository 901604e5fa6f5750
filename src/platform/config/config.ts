import type { BlockList } from 'node:net';
import { isLoopbackHost } from '../../oauth/authorize/redirect-uri.rules.ts';
import type { levels } from '../observe/log.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { EventStream } from './event-stream-settings.ts';
import { defaultMailDestination, defaultMailFrom, type MailSettings } from './mail-settings.ts';
import {
  defaultOf,
  type GivenSettings,
  givenSettings,
  readSettings,
  type SettingName,
  type Settings,
  settingNames,
} from './settings.ts';
import {
  readTelemetry,
  type TelemetrySettingName,
  type TelemetrySettings,
  telemetrySettingNames,
} from './telemetry-settings.ts';
import {
  type ClientCertificateSettings,
  clientCertificateSettings,
  type TlsSettings,
  tlsContradictions,
  tlsSettings,
} from './tls-settings.ts';

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
  /** The applications whose tokens are spread over several parts of a Citus cluster, and over how many. */
  readonly spread: ReadonlyMap<string, number>;
  /** Newest first; undefined: a generated one in a file beside the embedded store. */
  readonly secrets: readonly string[] | undefined;
  readonly trustedProxies: BlockList;
  /** Where it serves TLS itself, besides `port`. Undefined: nowhere. */
  readonly tls: TlsSettings | undefined;
  /** Where the certificates of clients come from (RFC 8705). Undefined: there are none. */
  readonly clientCertificates: ClientCertificateSettings | undefined;
  /** Open connections from one IPv4 address or /64 of IPv6; 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  readonly outbound: Outbound;
  /** The range service that knows breached passwords, without a trailing slash; undefined: none is asked. */
  readonly passwordRangeUrl: string | undefined;
  /** Undefined: the server sends no mail, and offers nothing that needs it. */
  readonly mail: MailSettings | undefined;
  /** Whether an empty store gets the demo application. */
  readonly demo: boolean;
  /** Who may read the documents of the admin API. */
  readonly apiDocs: 'public' | 'operators' | 'off';
  /** Whether operators need a second factor, for the console and for admin scopes. */
  readonly operatorMfa: 'required' | 'optional';
  readonly workers: number | 'auto';
  /** Undefined: metrics are off and nothing is timed. */
  readonly metrics: MetricsSettings | undefined;
  /** Where traces and metrics are sent (OpenTelemetry). Undefined: nowhere. */
  readonly telemetry: TelemetrySettings | undefined;
  /** How long events of the audit log are kept. */
  readonly eventsRetentionDays: number;
  /** Where its events are sent, besides webhooks. */
  readonly eventStreams: readonly EventStream[];
  readonly logLevel: (typeof levels)[number];
  /** All of them as an operator may see them, and where each came from. */
  readonly settings: readonly Setting[];
}

export interface Setting {
  readonly name: SettingName | TelemetrySettingName;
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

export function readConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const given = givenSettings(env);
  const { values, faults } = readSettings(given);
  if (!values) return { kind: 'faulty', faults };
  const telemetry = readTelemetry(given);
  const all = [...faults, ...contradictions(values), ...telemetry.faults];
  if (all.length > 0) return { kind: 'faulty', faults: all };
  const baseUrl = values.BASE_URL ?? `http://localhost:${values.PORT}`;
  const config: Omit<Config, 'settings'> = {
    port: values.PORT,
    host: values.HOST,
    baseUrl,
    docsUrl: values.DOCS_URL?.replace(/\/+$/, '') ?? `${baseUrl}/docs/errors`,
    database: databaseAddress(values),
    databaseTimeoutMs: milliseconds(values.DATABASE_TIMEOUT),
    spread: values.GATEHOUSE_CITUS_SPREAD,
    secrets: values.GATEHOUSE_SECRET,
    trustedProxies: values.TRUSTED_PROXIES,
    tls: tlsSettings(values),
    clientCertificates: clientCertificateSettings(values, baseUrl),
    maxConnectionsPerAddress: values.GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS,
    outbound: { allowed: values.GATEHOUSE_OUTBOUND_ALLOW, timeoutMs: milliseconds(values.GATEHOUSE_OUTBOUND_TIMEOUT) },
    passwordRangeUrl: values.PASSWORD_RANGE_URL,
    mail: mailSettings(values, baseUrl),
    demo: values.GATEHOUSE_DEMO ?? (values.DATABASE_URL.kind === 'sqlite' && isLoopback(baseUrl)),
    apiDocs: values.GATEHOUSE_API_DOCS,
    operatorMfa: values.GATEHOUSE_OPERATOR_MFA ?? (isLoopback(baseUrl) ? 'optional' : 'required'),
    workers: values.GATEHOUSE_WORKERS,
    metrics: metricsSettings(values),
    telemetry: telemetry.settings,
    eventsRetentionDays: values.GATEHOUSE_EVENTS_RETENTION_DAYS,
    eventStreams: values.GATEHOUSE_EVENT_STREAMS,
    logLevel: values.LOG_LEVEL,
  };
  return { kind: 'valid', config: { ...config, settings: describeSettings(given, config) } };
}

/** The commands have more time than requests; the settings of the role are those of requests. */
function databaseAddress(values: Settings): DatabaseAddress {
  const { DATABASE_URL: database, DATABASE_LISTEN_URL: listen, GATEHOUSE_CITUS: citus } = values;
  if (database.kind === 'sqlite') return database;
  const roleTimeoutMs = milliseconds(values.DATABASE_TIMEOUT);
  return { ...database, ...(citus && { citus }), ...(listen && { direct: { hosts: listen.hosts, roleTimeoutMs } }) };
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

function describeSettings(
  given: GivenSettings,
  { baseUrl, docsUrl, demo, operatorMfa, metrics, secrets, mail, clientCertificates }: Omit<Config, 'settings'>,
): Setting[] {
  const derived: Partial<Record<SettingName, string | undefined>> = {
    BASE_URL: baseUrl,
    DOCS_URL: docsUrl,
    GATEHOUSE_DEMO: String(demo),
    GATEHOUSE_OPERATOR_MFA: operatorMfa,
    GATEHOUSE_METRICS_HOST: metrics?.host,
    MTLS_BASE_URL: clientCertificates?.baseUrl,
    MAIL_URL: mail?.destination.kind === 'file' ? `file:${mail.destination.folder}` : undefined,
    MAIL_FROM: mail?.from,
  };
  // The others of OpenTelemetry mean nothing here, or have their default: a list of what nobody has set would hide the rest.
  const ofTelemetry = telemetrySettingNames.flatMap((name): Setting[] => {
    const text = given[name];
    return text === undefined ? [] : [{ name, value: masked(name, text), source: 'environment' }];
  });
  const own = settingNames.map((name): Setting => {
    const text = given[name];
    if (text !== undefined) return { name, value: masked(name, text), source: 'environment' };
    if (derived[name] !== undefined) return { name, value: derived[name], source: 'derived' };
    if (name === 'GATEHOUSE_SECRET' && secrets === undefined) return { name, value: MASK, source: 'generated' };
    return { name, value: defaultOf(name), source: 'default' };
  });
  return [...own, ...ofTelemetry];
}

const MASK = '••••••••';

/**
 * From the first `:` after the scheme to the last `@`: the URL parser takes an unencoded `@` in a user name or a password, and a scheme
 * without slashes.
 */
const PASSWORD_OF_URL = /^([^:]*:[\\/\s]*[^:/]*):[^/]*@/;

/** Whoever reads it learns no secret, nor how long it is. */
function masked(name: Setting['name'], text: string): string {
  switch (name) {
    case 'GATEHOUSE_SECRET':
      return text
        .split(',')
        .map(() => MASK)
        .join(', ');
    case 'GATEHOUSE_METRICS_TOKEN':
    case 'OTEL_EXPORTER_OTLP_HEADERS':
    case 'OTEL_EXPORTER_OTLP_TRACES_HEADERS':
    case 'OTEL_EXPORTER_OTLP_METRICS_HEADERS':
      return MASK;
    default:
      return text.replace(PASSWORD_OF_URL, `$1:${MASK}@`).replace(/(password=)[^&]*/gi, `$1${MASK}`);
  }
}

/** Faults of settings that are valid by themselves and contradict each other. */
function contradictions(values: Settings): string[] {
  const faults: string[] = [];
  if (values.DATABASE_LISTEN_URL !== undefined && values.GATEHOUSE_CITUS) {
    faults.push('DATABASE_LISTEN_URL: a pooler by transaction in front of Citus (GATEHOUSE_CITUS) is not supported');
  }
  if (values.DATABASE_URL.kind !== 'postgres' && values.GATEHOUSE_CITUS) {
    faults.push('GATEHOUSE_CITUS: is of use with DATABASE_URL=postgres://… alone');
  }
  if (values.GATEHOUSE_CITUS_SPREAD.size > 0 && !values.GATEHOUSE_CITUS) {
    faults.push('GATEHOUSE_CITUS_SPREAD: is of use with GATEHOUSE_CITUS=true alone');
  }
  if (values.DATABASE_URL.kind === 'postgres' && values.GATEHOUSE_SECRET === undefined) {
    faults.push('GATEHOUSE_SECRET: is required with PostgreSQL, and must be the same on every node');
  }
  if (values.DATABASE_URL.kind === 'sqlite' && values.DATABASE_LISTEN_URL !== undefined) {
    faults.push('DATABASE_LISTEN_URL: is of use only where DATABASE_URL leads to PostgreSQL');
  }
  if (values.GATEHOUSE_METRICS_PORT !== undefined && values.GATEHOUSE_METRICS_PORT === values.PORT) {
    faults.push('GATEHOUSE_METRICS_PORT: must differ from PORT');
  }
  faults.push(...tlsContradictions(values));
  const isPublic = values.BASE_URL !== undefined && !isLoopback(values.BASE_URL);
  if (isPublic && values.BASE_URL?.startsWith('http:') && !values.GATEHOUSE_ALLOW_HTTP) {
    faults.push(
      'BASE_URL: must be an https address, except on this machine, because plain http shows passwords to the network (GATEHOUSE_ALLOW_HTTP=true allows it)',
    );
  }
  if (isPublic && values.GATEHOUSE_DEMO) {
    faults.push('GATEHOUSE_DEMO: is made only where BASE_URL is localhost, 127.0.0.1 or [::1]');
  }
  return faults;
}

/** Whether the origin is on this machine: no other machine can reach it or read its traffic. */
export function isLoopback(origin: string): boolean {
  return isLoopbackHost(new URL(origin).hostname);
}

function metricsSettings(values: Settings): MetricsSettings | undefined {
  const { GATEHOUSE_METRICS_PORT: port, GATEHOUSE_METRICS_TOKEN: token } = values;
  if (port === undefined && token === undefined) return undefined;
  return { port, host: values.GATEHOUSE_METRICS_HOST ?? values.HOST, token };
}

/** The embedded store has a folder beside it where mail is written; with PostgreSQL there is no such place that all nodes share. */
function mailSettings(values: Settings, baseUrl: string): MailSettings | undefined {
  const { MAIL_URL: url, MAIL_FROM: from = defaultMailFrom(baseUrl), DATABASE_URL: database } = values;
  if (url !== undefined) return url === 'none' ? undefined : { destination: url, from };
  return database.kind === 'sqlite' ? { destination: defaultMailDestination(database.path), from } : undefined;
}
