import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createSecureContext, createServer, type TlsOptions, type Server as TlsServer } from 'node:tls';
import { authoritiesOf } from '../oauth/mtls/authorities.ts';
import type { Config } from '../platform/config/config.ts';
import type { TlsSettings } from '../platform/config/tls-settings.ts';
import { LIMITS, limitConnectionsPerAddress, MAX_CONNECTIONS } from '../platform/http/connections.ts';
import type { Log } from '../platform/observe/log.ts';
import type { Services } from '../services.ts';

/**
 * TLS of its own (TLS_PORT), for the certificates of clients (RFC 8705): it decrypts, and hands each connection to the server of PORT, which
 * serves and limits it like any other. Every certificate is asked for and none is demanded; what one proves is for oauth/mtls to say.
 */
export function createTlsServer({ config, log }: Services, tls: TlsSettings, server: Server): TlsServer {
  const secured = createServer(
    {
      ...contextOf(config, tls),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: LIMITS.headersTimeout,
    },
    socket => server.emit('connection', socket),
  );
  limitHandshakes(secured, config, log);
  renewCertificate(secured, config, tls, log);
  return secured;
}

/** At the start, so that a fault is seen then; requests find the authorities read. */
export function checkFiles(config: Config): void {
  authoritiesOf(config);
  if (config.tls) createSecureContext(contextOf(config, config.tls));
}

/** BCP 195 (RFC 9325 section 4.2), and so the FAPI 2.0 Security Profile (section 5.2.2): with TLS 1.2 these cipher suites alone. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
].join(':');

function contextOf(config: Config, { certificate, key }: TlsSettings): TlsOptions {
  return {
    cert: readSetting('TLS_CERT', certificate),
    key: readSetting('TLS_KEY', key),
    // An empty list too: without one, every public authority of the web would count.
    ca: authoritiesOf(config).map(each => each.toString()),
    // The authority that issues is listed, whoever has certified it.
    allowPartialTrustChain: true,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    honorCipherOrder: true,
    // A caller has one certificate for as long as the connection lasts.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function readSetting(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}

/** The limit of PORT counts a connection when its handshake is over. */
function limitHandshakes(secured: TlsServer, config: Config, log: Log): void {
  secured.maxConnections = MAX_CONNECTIONS;
  limitConnectionsPerAddress(secured, config, log);
  // A caller that ends its handshake has nobody to tell: the connection is gone.
  secured.on('tlsClientError', (_error, socket) => socket.destroy());
}

const RENEWAL_CHECK_MS = 60_000;

/** Certificates are renewed while the server runs. New connections get the new one. */
function renewCertificate(secured: TlsServer, config: Config, tls: TlsSettings, log: Log): void {
  const textOf = () => [tls.certificate, tls.key].map(file => readFileSync(file, 'utf8')).join('');
  let current = textOf();
  const check = setInterval(() => {
    try {
      const text = textOf();
      if (text === current) return;
      secured.setSecureContext(contextOf(config, tls));
      current = text;
      log.info('tls.renewed', {});
    } catch (error) {
      // Half written, perhaps: the one before stays until the next check.
      log.warn('tls.unusable', { message: (error as Error).message });
    }
  }, RENEWAL_CHECK_MS).unref();
  secured.once('close', () => clearInterval(check));
}
