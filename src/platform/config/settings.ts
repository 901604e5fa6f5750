import type { BlockList } from 'node:net';
import { parseNetworks } from '../http/network-address.ts';
import { levels } from '../observe/log.ts';
import { DEFAULT_TIMEOUT_MS } from '../store/database-timeouts.ts';
import {
  DATABASE_FORMS,
  type DatabaseAddress,
  type PostgresAddress,
  parseDatabaseAddress,
} from './database-address.ts';
import { EVENT_STREAM_FORMS, readEventStreams } from './event-stream-settings.ts';
import { type MailDestination, readMailFrom, readMailUrl } from './mail-settings.ts';

/**
 * The settings of the environment, one by one: how the text of each is read, and what it is when it is not set. config.ts says what they
 * mean together. Written without zod: it would be the only thing that needs it in a server that nobody administers, and 95 files.
 */

/** Why the text of a setting is of no use, as the operator reads it after the name. */
class Fault {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Reader<T> = (text: string) => T | Fault;

interface SettingDefinition<T> {
  readonly read: Reader<Exclude<T, undefined>>;
  /** The text that counts when none is set; undefined: the setting has no value then. */
  readonly otherwise: string | undefined;
}

function withDefault<T>(otherwise: string, read: Reader<T>): SettingDefinition<T> {
  return { read: read as Reader<Exclude<T, undefined>>, otherwise };
}

function optional<T>(read: Reader<T>): SettingDefinition<T | undefined> {
  return { read: read as Reader<Exclude<T, undefined>>, otherwise: undefined };
}

const MIN_SECRET_BYTES = 32;
const MIN_METRICS_TOKEN_LENGTH = 16;

const definitions = {
  PORT: withDefault('3000', readPort),
  HOST: withDefault('127.0.0.1', asItIs),
  BASE_URL: optional(readOrigin),
  DATABASE_URL: withDefault('sqlite:data/gatehouse.db', readDatabase),
  DATABASE_LISTEN_URL: optional(readListenAddress),
  DATABASE_TIMEOUT: withDefault(String(DEFAULT_TIMEOUT_MS / 1000), readTimeout),
  GATEHOUSE_CITUS: withDefault('false', readFlag),
  GATEHOUSE_CITUS_SPREAD: withDefault('', readSpread),
  DOCS_URL: optional(text => (isHttpUrl(text) ? text : new Fault('must be an http or https address'))),
  GATEHOUSE_SECRET: optional(readSecrets),
  TRUSTED_PROXIES: withDefault('', readNetworks),
  TLS_PORT: optional(text => (text === '0' ? new Fault('must be at least 1') : readPort(text))),
  TLS_CERT: optional(asItIs),
  TLS_KEY: optional(asItIs),
  TLS_CLIENT_CA: optional(asItIs),
  CLIENT_CERTIFICATE_HEADER: optional(readHeaderName),
  MTLS_BASE_URL: optional(readHttpsOrigin),
  GATEHOUSE_OUTBOUND_ALLOW: withDefault('', readNetworks),
  GATEHOUSE_OUTBOUND_TIMEOUT: withDefault('5', readTimeout),
  PASSWORD_RANGE_URL: optional(readRangeUrl),
  GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: withDefault(
    '1000',
    numberLike(/^\d{1,5}$/, 'must be a number from 0 (no limit) to 99999'),
  ),
  MAIL_URL: optional(
    (text): MailDestination | 'none' | Fault =>
      readMailUrl(text) ??
      new Fault('must be smtp://user:password@host:587, smtps://user:password@host, file:///folder, or none'),
  ),
  MAIL_FROM: optional(
    text =>
      readMailFrom(text) ??
      new Fault('must be an e-mail address, or a name and an address such as Example <id@example.com>'),
  ),
  GATEHOUSE_ALLOW_HTTP: withDefault('false', readFlag),
  GATEHOUSE_DEMO: optional(readFlag),
  GATEHOUSE_API_DOCS: withDefault('public', readChoice('public', 'operators', 'off')),
  GATEHOUSE_OPERATOR_MFA: optional(readChoice('required', 'optional')),
  GATEHOUSE_WORKERS: withDefault('1', readWorkers),
  GATEHOUSE_METRICS_PORT: optional(text => (text === '0' ? new Fault('must be at least 1') : readPort(text))),
  GATEHOUSE_METRICS_HOST: optional(asItIs),
  GATEHOUSE_METRICS_TOKEN: optional(readMetricsToken),
  GATEHOUSE_EVENTS_RETENTION_DAYS: withDefault(
    '400',
    numberLike(/^[1-9]\d{0,4}$/, 'must be a number of days from 1 to 99999'),
  ),
  GATEHOUSE_EVENT_STREAMS: withDefault('', text => readEventStreams(text) ?? new Fault(EVENT_STREAM_FORMS)),
  LOG_LEVEL: withDefault('info', readChoice(...levels)),
};

export type SettingName = keyof typeof definitions;
export type Settings = {
  readonly [Name in SettingName]: (typeof definitions)[Name] extends SettingDefinition<infer T> ? T : never;
};
/** The environment without empty variables: they count as not set. */
export type GivenSettings = Readonly<Record<string, string>>;

export const settingNames = Object.keys(definitions) as readonly SettingName[];

export function givenSettings(env: Readonly<Record<string, string | undefined>>): GivenSettings {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => !!entry[1]));
}

/** An empty default says that there is none. */
export function defaultOf(name: SettingName): string | undefined {
  return definitions[name].otherwise || undefined;
}

export interface ReadSettings {
  /** Undefined: one of them has no usable value. */
  readonly values: Settings | undefined;
  /** One line each, with the name of the setting in front. */
  readonly faults: readonly string[];
}

export function readSettings(given: GivenSettings): ReadSettings {
  const unknown = Object.keys(given)
    .filter(name => name.startsWith('GATEHOUSE_') && !Object.hasOwn(definitions, name))
    .map(name => `${name}: there is no such setting`);
  const faults: string[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of settingNames) {
    const { read, otherwise }: SettingDefinition<unknown> = definitions[name];
    const text = given[name] ?? otherwise;
    const value = text === undefined ? undefined : read(text);
    if (value instanceof Fault) faults.push(`${name}: ${value.text}`);
    values[name] = value;
  }
  return { values: faults.length > 0 ? undefined : (values as Settings), faults: [...unknown, ...faults] };
}

function asItIs(text: string): string {
  return text;
}

function numberLike(form: RegExp, fault: string): Reader<number> {
  return text => (form.test(text) ? Number(text) : new Fault(fault));
}

function readPort(text: string): number | Fault {
  if (!/^\d{1,5}$/.test(text)) return new Fault('must be a port number');
  return Number(text) <= 65535 ? Number(text) : new Fault('must be at most 65535');
}

function readFlag(text: string): boolean | Fault {
  return text === 'true' || text === 'false' ? text === 'true' : new Fault('must be true or false');
}

function readChoice<Choice extends string>(...choices: readonly Choice[]): Reader<Choice> {
  return text => choices.find(choice => choice === text) ?? new Fault(`must be one of ${choices.join(', ')}`);
}

const MAX_PARTS = 256;

/** The number of parts by application, such as shop:8. */
function readSpread(text: string): ReadonlyMap<string, number> | Fault {
  const entries = text === '' ? [] : text.split(',').map(entry => /^\s*([^:\s]+):([1-9]\d{0,2})\s*$/.exec(entry));
  const parts = new Map(entries.map(entry => [entry?.[1] ?? '', Number(entry?.[2])]));
  const isValid = parts.size === entries.length && [...parts.values()].every(count => count >= 2 && count <= MAX_PARTS);
  return isValid
    ? parts
    : new Fault(`must be applications with a number of parts from 2 to ${MAX_PARTS}, such as shop:8,pay:4`);
}

/** In seconds. */
function readTimeout(text: string): number | Fault {
  const seconds = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  return seconds >= 0.1 && seconds <= 300 ? seconds : new Fault('must be a number of seconds from 0.1 to 300');
}

function readWorkers(text: string): number | 'auto' | Fault {
  if (text === 'auto') return text;
  return /^[1-9]\d{0,2}$/.test(text) ? Number(text) : new Fault('must be a number from 1 to 999, or auto');
}

function readMetricsToken(text: string): string | Fault {
  const visible = /^[\x21-\x7e]*$/.test(text) && text.length >= MIN_METRICS_TOKEN_LENGTH;
  return visible ? text : new Fault(`must have at least ${MIN_METRICS_TOKEN_LENGTH} visible ASCII characters`);
}

function readOrigin(text: string): string | Fault {
  const trimmed = text.replace(/\/$/, '');
  return isHttpUrl(trimmed) && new URL(trimmed).origin === trimmed
    ? trimmed
    : new Fault('must be an origin such as https://id.example.com, in lower case and without a path');
}

function readHttpsOrigin(text: string): string | Fault {
  const origin = readOrigin(text);
  return typeof origin === 'string' && !origin.startsWith('https:') ? new Fault('must be an https origin') : origin;
}

/** RFC 9110 section 5.6.2; names of headers are compared in lower case. */
function readHeaderName(text: string): string | Fault {
  const isName = /^[!#$%&'*+.^`|~\w-]{1,64}$/.test(text);
  return isName ? text.toLowerCase() : new Fault('must be the name of a header, such as Client-Cert');
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The beginning of a hash is appended to it as a path segment. */
function readRangeUrl(text: string): string | Fault {
  return isHttpUrl(text) && !/[?#]/.test(text)
    ? text.replace(/\/+$/, '')
    : new Fault('must be an http or https address without a query, such as https://passwords.example.com/range');
}

function readDatabase(text: string): DatabaseAddress | Fault {
  return parseDatabaseAddress(text) ?? new Fault(DATABASE_FORMS);
}

function readListenAddress(text: string): PostgresAddress | Fault {
  const address = parseDatabaseAddress(text);
  return address?.kind === 'postgres'
    ? address
    : new Fault('must be postgres://user:password@host[,host2]/database, without a pooler in between');
}

function readSecrets(text: string): readonly string[] | Fault {
  const secrets = text.split(',').map(secret => secret.trim());
  return secrets.every(secret => Buffer.byteLength(secret) >= MIN_SECRET_BYTES)
    ? secrets
    : new Fault(`every secret must have at least ${MIN_SECRET_BYTES} bytes (several are separated by commas)`);
}

function readNetworks(text: string): BlockList | Fault {
  const networks = parseNetworks(text);
  return 'unusable' in networks
    ? new Fault(`"${networks.unusable}" is neither an address nor a network such as 10.0.0.0/8`)
    : networks;
}
