import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { type OperationContext, operation } from '../../operators/api/operation.ts';
import { done, unknown } from '../../operators/api/outcome.ts';
import { readEml } from './read-eml.ts';

/**
 * /outbox: the mails of a folder, for development. They hold links that set passwords, so only owners read them, and only where mail
 * goes to a folder beside the embedded store: a deployment that sends mail has no outbox.
 */

const mail = z.object({
  id: z.string(),
  to: z.string(),
  subject: z.string(),
  date: z.string().optional().meta({ description: 'ISO 8601' }),
});

export const listOutbox = operation({
  summary: 'List the mails of the outbox folder (MAIL_URL=file:), newest first. Not there where mail is sent.',
  role: 'owner',
  reach: 'deployment',
  query: z.strictObject(pageQuery),
  result: pageOf(mail),
  async run(context, { query }) {
    const folder = outboxOf(context);
    if (folder === undefined) return unknown('outbox');
    const { cursor, limit } = query;
    const ids = (await idsIn(folder)).filter(id => cursor === undefined || id < cursor).slice(0, limit + 1);
    const found = await Promise.all(ids.map(async id => ({ id, eml: await readMail(folder, id) })));
    return done(
      toPage(
        found,
        query,
        ({ id }) => id,
        ({ id, eml }) => viewOf(id, eml),
      ),
    );
  },
});

export const getOutboxMail = operation({
  summary: 'Get one mail of the outbox folder with its text.',
  role: 'owner',
  reach: 'deployment',
  params: z.object({ id: z.string() }),
  result: mail.extend({ text: z.string() }),
  async run(context, { params: { id } }) {
    const folder = outboxOf(context);
    if (folder === undefined) return unknown('outbox');
    const eml = ID.test(id) ? await readMail(folder, id) : undefined;
    return eml ? done({ ...viewOf(id, eml), text: eml.text }) : unknown('mail');
  },
});

/** The name of a file without its ending, as queue.ts makes it: no path can be made of it. */
const ID = /^eml_[0-9a-f]{34}$/;
const ENDING = '.eml';
const MAX_BYTES = 256 * 1024;

export function outboxOf({ services }: Pick<OperationContext, 'services'>): string | undefined {
  const { mail: settings, database } = services.config;
  const destination = settings?.destination;
  return destination?.kind === 'file' && database.kind === 'sqlite' ? destination.folder : undefined;
}

/** Newest first: an id begins with the time. */
async function idsIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    const ids = names.filter(name => name.endsWith(ENDING)).map(name => name.slice(0, -ENDING.length));
    return ids
      .filter(id => ID.test(id))
      .sort()
      .reverse();
  } catch {
    // It is made with the first mail.
    return [];
  }
}

/** Undefined: there is no such file, or it is a link to another one. */
async function readMail(folder: string, id: string): Promise<ReturnType<typeof readEml> | undefined> {
  try {
    const file = await open(join(folder, `${id}${ENDING}`), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      return readEml(buffer.toString('utf8', 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function viewOf(id: string, eml: ReturnType<typeof readEml> | undefined): z.output<typeof mail> {
  const { to = '', subject = '', date } = eml ?? {};
  return { id, to, subject, ...(date ? { date: date.toISOString() } : {}) };
}
