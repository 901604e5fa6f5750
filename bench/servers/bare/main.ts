/**
 * Bare node:http that does one thing for a request, as often as the address says (`/RS256?50`): what a signature, or its verification,
 * costs where a server does it between other work, and what it costs in a row.
 */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { createServer } from 'node:http';

const [port = ''] = process.argv.slice(2);
/** As long as header and claims of a proof, or of an access token. */
const INPUT = Buffer.alloc(480, 'a');
const ANSWER = Buffer.alloc(700, 'a').toString('latin1');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const P1363 = { dsaEncoding: 'ieee-p1363' } as const;
const signature = sign('sha256', INPUT, { key: ec.privateKey, ...P1363 });

const operations: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  RS256: () => sign('sha256', INPUT, rsa.privateKey),
  ES256: () => sign('sha256', INPUT, { key: ec.privateKey, ...P1363 }),
  verification: () => verify('sha256', INPUT, { key: ec.publicKey, ...P1363 }, signature),
};

createServer((incoming, outgoing) => {
  const [name = '', times = '1'] = (incoming.url ?? '').slice(1).split('?');
  const operation = operations[name];
  incoming.resume().once('end', () => {
    for (let count = 0; count < Number(times); count++) operation?.();
    outgoing.writeHead(operation ? 200 : 404, ['content-type', 'application/json', 'content-length', '700']);
    outgoing.end(ANSWER, 'latin1');
  });
}).listen(Number(port), '127.0.0.1');
