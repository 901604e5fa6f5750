import { z } from 'zod';
import { end, ended, isUser } from '../../directory/users/holdings.operations.ts';
import { subParam } from '../../operators/api/input.ts';
import { actOf, operation } from '../../operators/api/operation.ts';
import { done, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';

/** /users/{sub}/trusted_browsers: the browsers in which a user is not asked for the second factor. A user has ten at most. */
export const listTrustedBrowsers = operation({
  summary: 'List the browsers in which a user is not asked for the second factor, newest first.',
  role: 'auditor',
  reach: 'deployment',
  params: subParam,
  result: z.object({
    items: z.array(
      z.object({
        id: z.string(),
        user_agent: z.string().optional(),
        created_at: timeField,
        last_used_at: timeField.optional(),
        expires_at: timeField,
      }),
    ),
    next: z.null(),
  }),
  async run(context, { params: { sub } }) {
    const { services } = context;
    const found = await services.store.trustedBrowsersOf(sub, services.clock.now());
    if (found.length === 0 && !(await isUser(context, sub))) return unknown('user');
    const items = found.map(({ id, userAgent, createdAt, lastUsedAt, expiresAt }) => ({
      id,
      ...(userAgent === undefined ? {} : { user_agent: userAgent }),
      created_at: isoTime(createdAt),
      ...(lastUsedAt === undefined ? {} : { last_used_at: isoTime(lastUsedAt) }),
      expires_at: isoTime(expiresAt),
    }));
    return done({ items, next: null });
  },
});

/** It only asks the user for more, so that the role of the user does not matter. */
export const withdrawTrustedBrowser = operation({
  ...end,
  summary: 'Stop trusting a browser: the user is asked for the second factor there again.',
  run(context, { params: { sub, id } }) {
    const { store } = context.services;
    const act = actOf(context, { type: 'browser.distrusted', subject: sub, details: { browser: id } });
    return ended('trusted browser', store.withdrawTrustedBrowser(sub, id, act));
  },
});
