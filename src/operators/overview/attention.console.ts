import type { ConsoleContext } from '../console-frame/page.ts';
import { deploymentNotices } from './attention-deployment.console.ts';
import { directoryNotices } from './attention-directory.console.ts';
import type { Status } from './deployment.console.ts';
import type { Notice } from './notice.console.ts';

/** `status`: undefined for a role that is limited to applications. */
export async function attentionTo(context: ConsoleContext, status: Status | undefined): Promise<readonly Notice[]> {
  const found = await Promise.all([status ? deploymentNotices(context, status) : [], directoryNotices(context)]);
  const notices = found.flat();
  return [...notices.filter(({ kind }) => kind === 'bad'), ...notices.filter(({ kind }) => kind === 'plain')];
}
