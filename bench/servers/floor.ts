/** The least an HTTP server in Node.js can do: read the body, answer a constant of the size of the real answer. */
import { createServer } from 'node:http';

const [port = '', introspection = '', userinfo = ''] = process.argv.slice(2);

createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const answer = incoming.method === 'POST' && body !== '' ? introspection : userinfo;
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    outgoing.end(answer);
  });
}).listen(Number(port), '127.0.0.1');
