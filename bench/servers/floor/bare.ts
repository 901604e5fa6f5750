/** Less than the floor, for reference: an HTTP server that reads the body and answers a constant, without any database. */
import { createServer } from 'node:http';

const [port = '', introspection = '', userinfo = ''] = process.argv.slice(2);

createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') answer(userinfo);
  else incoming.once('data', () => answer(introspection));

  function answer(text: string): void {
    outgoing.writeHead(200, ['content-type', 'application/json', 'content-length', String(text.length)]);
    outgoing.end(text, 'latin1');
  }
}).listen(Number(port), '127.0.0.1');
