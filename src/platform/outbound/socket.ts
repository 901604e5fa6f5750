import { BlockList, isIP, type Socket, connect as tcpConnect } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { isListed, withoutMapping } from '../http/network-address.ts';
import { mayReach } from './public-address.ts';
import { guardedLookup } from './request.ts';

/** Connections to servers that speak no HTTP, to the addresses that requests may reach too (request.ts). */
export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /** Undefined: plain. */
  readonly tls?: TlsTarget | undefined;
  /** What is sent could be read on the way: only this machine is reached. */
  readonly isLoopbackOnly?: boolean;
  readonly timeoutMs: number;
}

export interface TlsTarget {
  /** Certificates in PEM that are believed instead of those of the system. */
  readonly ca?: string | undefined;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Rejects with an error whose message can be told to operators. */
export function openSocket(target: SocketTarget, allowed: BlockList): Promise<Socket> {
  const { host, port, tls, isLoopbackOnly = false, timeoutMs } = target;
  const guard = (address: string) =>
    mayReach(address, allowed) && (!isLoopbackOnly || isListed(withoutMapping(address), loopback));
  if (isIP(host) !== 0 && !guard(host)) return Promise.reject(new Error(refusal(isLoopbackOnly)));
  const options = { host, port, lookup: guardedLookup(guard) };
  if (!tls) return opened(tcpConnect(options), 'connect', timeoutMs);
  return opened(tlsConnect({ ...options, ...verification(host, tls) }), 'secureConnect', timeoutMs);
}

/** The same connection, from now on by TLS. Nothing that arrived before may wait in it to be read. */
export function secureSocket(
  socket: Socket,
  { host, tls, timeoutMs }: { readonly host: string; readonly tls: TlsTarget; readonly timeoutMs: number },
): Promise<TLSSocket> {
  return opened(tlsConnect({ socket, host, ...verification(host, tls) }), 'secureConnect', timeoutMs);
}

/** The certificate is for this name or address, by RFC 6125. No setting turns that off. */
function verification(host: string, { ca }: TlsTarget) {
  return { ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }), rejectUnauthorized: true };
}

function refusal(isLoopbackOnly: boolean): string {
  return isLoopbackOnly ? 'without TLS only this machine is reached' : 'the address is not public';
}

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const closed = () => fail(new Error('the connection was closed'));
    const timer = setTimeout(() => fail(new Error(`no connection within ${timeoutMs} ms`)), timeoutMs);
    socket.once('error', fail);
    socket.once('close', closed);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off('error', fail);
      socket.off('close', closed);
      resolve(socket);
    });
  });
}
