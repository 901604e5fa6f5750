/** GATEHOUSE_EVENT_STREAMS: where events of the audit log are sent, besides webhooks. */
export interface EventStream {
  /** The address without its options: under this name the database keeps how far it is. */
  readonly name: string;
  readonly destination: EventDestination;
  readonly format: 'json' | 'ocsf';
}

export type EventDestination =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'syslog';
      readonly host: string;
      readonly port: number;
      /** Undefined: plain TCP, on this machine only. */
      readonly tls: SyslogTls | undefined;
    };

/** Files, read for each connection: certificates are renewed. */
export interface SyslogTls {
  /** Undefined: the certificate authorities that Node.js trusts. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

export const MAX_EVENT_STREAMS = 10;
export const EVENT_STREAM_FORMS =
  'must be stdout:, file:/path, syslog+tls://host:6514 or, on this machine, syslog+tcp://127.0.0.1:601, each with ?format=ocsf, ca=, cert= and key= where needed; ' +
  `at most ${MAX_EVENT_STREAMS}, separated by spaces`;

/** RFC 5425 section 4.1 and RFC 6587 section 3.2. */
const TLS_PORT = 6514;
const TCP_PORT = 601;

/** Undefined: not one of the forms. */
export function readEventStreams(text: string): readonly EventStream[] | undefined {
  const streams = text.split(/\s+/).filter(Boolean).map(readStream);
  const names = new Set(streams.map(stream => stream?.name));
  if (streams.length > MAX_EVENT_STREAMS || names.size < streams.length || names.has(undefined)) return undefined;
  return streams as EventStream[];
}

function readStream(text: string): EventStream | undefined {
  const [address = '', query = ''] = text.split('?', 2);
  const options = new URLSearchParams(query);
  const format = options.get('format') ?? 'json';
  if (format !== 'json' && format !== 'ocsf') return undefined;
  options.delete('format');
  const destination = readDestination(address, options);
  return destination && options.size === 0 ? { name: address, destination, format } : undefined;
}

/** Takes those of the options that it understands. */
function readDestination(address: string, options: URLSearchParams): EventDestination | undefined {
  if (address === 'stdout:') return { kind: 'stdout' };
  const path = /^file:(?:\/\/)?(\/[^/].*)$/.exec(address)?.[1];
  if (path !== undefined) return { kind: 'file', path };
  const [, transport, host, port] =
    /^syslog\+(tls|tcp):\/\/([\w.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(address) ?? [];
  if (host === undefined || Number(port) > 65535) return undefined;
  const plainHost = host.replace(/^\[|\]$/g, '');
  if (transport === 'tcp') {
    if (!/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(plainHost)) return undefined;
    return { kind: 'syslog', host: plainHost, port: Number(port ?? TCP_PORT), tls: undefined };
  }
  const tls = { ca: take(options, 'ca'), cert: take(options, 'cert'), key: take(options, 'key') };
  if ((tls.cert === undefined) !== (tls.key === undefined)) return undefined;
  return { kind: 'syslog', host: plainHost, port: Number(port ?? TLS_PORT), tls };
}

function take(options: URLSearchParams, name: string): string | undefined {
  const value = options.get(name) ?? undefined;
  options.delete(name);
  return value;
}
