import { readFile } from 'node:fs/promises';
import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { EventDestination } from '../config/event-stream-settings.ts';
import { ANY_ADDRESS, mayReach } from './public-address.ts';
import { guardedLookup } from './request.ts';

export type SyslogReceiver = Extract<EventDestination, { kind: 'syslog' }>;

/**
 * Sends messages on a connection of their own, and resolves when the receiver has read all of it. Syslog has no answer to a message. But who
 * closes its side after ours was closed has read to the end: so that is waited for (RFC 5425 section 4.4). A receiver that dies in between
 * resets the connection, or never closes it.
 */
export async function sendToSyslog(receiver: SyslogReceiver, data: string, timeoutMs: number): Promise<void> {
  const socket = await open(receiver);
  return new Promise((resolve, reject) => {
    let hasEnded = false;
    const finish = (error?: Error) => {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    const timer = setTimeout(() => finish(new Error(`the receiver did not take it within ${timeoutMs} ms`)), timeoutMs);
    socket.on('error', finish);
    socket.on('close', () => finish(new Error('the connection was closed')));
    // Nothing comes, but its end has to be read.
    socket.resume();
    socket.on('end', () => finish(hasEnded ? undefined : new Error('the receiver closed the connection')));
    socket.once(receiver.tls ? 'secureConnect' : 'connect', () => {
      socket.end(data, 'latin1', () => {
        hasEnded = true;
      });
    });
  });
}

/** The operator has set the address: it may be any but a metadata service. */
async function open({ host, port, tls }: SyslogReceiver): Promise<Socket> {
  const mayBeReached = (address: string) => mayReach(address, ANY_ADDRESS);
  if (isIP(host) !== 0 && !mayBeReached(host)) throw new Error('the address is one of a metadata service');
  const target = { host, port, lookup: guardedLookup(mayBeReached) };
  if (!tls) return tcpConnect(target);
  const read = (path: string | undefined) => (path === undefined ? undefined : readFile(path));
  const [ca, cert, key] = await Promise.all([read(tls.ca), read(tls.cert), read(tls.key)]);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return tlsConnect({ ...target, ...servername, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
}
