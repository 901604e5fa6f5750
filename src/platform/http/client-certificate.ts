import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ReceivedCertificate } from './message.ts';
import { isListed, withoutMapping } from './network-address.ts';

/** Whose word counts about a request. */
export interface Trust {
  readonly proxies: BlockList | undefined;
  /** The header in which these pass on the certificate of the caller, in lower case; undefined: in none. */
  readonly certificateHeader: string | undefined;
}

/**
 * The certificate of the caller, as it came: that of the connection, or what a trusted proxy says. The certificate of a proxy is not that of
 * its caller. From everybody else the header counts for nothing.
 */
export function receivedCertificate(
  { socket, headers }: IncomingMessage,
  { proxies, certificateHeader }: Trust,
): ReceivedCertificate | undefined {
  if (certificateHeader !== undefined && isProxy(socket, proxies)) {
    const text = headers[certificateHeader];
    return text === undefined || text === '' ? undefined : { from: 'header', text: String(text) };
  }
  return 'getPeerX509Certificate' in socket ? ofConnection(socket as TLSSocket) : undefined;
}

function isProxy({ remoteAddress = '' }: Socket, proxies: BlockList | undefined): boolean {
  return proxies !== undefined && isListed(withoutMapping(remoteAddress), proxies);
}

/** Reading it copies it. One connection has one: renegotiation is off with TLS 1.2, and TLS 1.3 has none. */
const certificates = new WeakMap<TLSSocket, X509Certificate>();

function ofConnection(socket: TLSSocket): ReceivedCertificate | undefined {
  const certificate = certificates.get(socket) ?? socket.getPeerX509Certificate();
  if (!certificate) return undefined;
  certificates.set(socket, certificate);
  return { from: 'connection', certificate, isIssuedByAuthority: socket.authorized };
}
