import { Webhook } from 'standardwebhooks';
import { listen } from '../../build/listen.ts';

/** A system that people leave: it checks the signature by a library of others, and answers for the people that it has. */
export interface OldSystem {
  readonly url: string;
  readonly people: Map<string, OldPerson>;
  /** The names that it was asked about. */
  readonly asked: string[];
  /** Instead of what it would say. */
  answer: { readonly status: number; readonly body: string } | undefined;
  close(): Promise<void>;
}

export interface OldPerson {
  readonly password: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export const SIGNING_SECRET = 'a secret of both systems';

export async function openOldSystem(people: Readonly<Record<string, OldPerson>>): Promise<OldSystem> {
  const known = new Map(Object.entries(people));
  const asked: string[] = [];
  const webhook = new Webhook(Buffer.from(SIGNING_SECRET).toString('base64'));
  const { origin, close } = await listen(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { status, body } = system.answer ?? judge(Buffer.concat(pieces).toString(), incoming.headers);
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  const judge = (text: string, headers: NodeJS.Dict<string | string[]>) => {
    try {
      webhook.verify(text, headers as Record<string, string>);
    } catch {
      return { status: 400, body: '' };
    }
    const { username, password } = JSON.parse(text) as { username: string; password: string };
    asked.push(username);
    const person = known.get(username);
    if (!person) return { status: 404, body: '' };
    return person.password === password
      ? { status: 200, body: JSON.stringify(person.claims) }
      : { status: 401, body: '' };
  };
  const system: OldSystem = {
    url: `${origin}/check`,
    people: known,
    asked,
    answer: undefined,
    close,
  };
  return system;
}
