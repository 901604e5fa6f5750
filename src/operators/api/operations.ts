import { z } from 'zod';
import { releaseVersion } from '../../platform/release.ts';
import { roles } from '../roles/store.ts';
import { operation } from './operation.ts';
import { done } from './outcome.ts';

/** /caller: what a key is good for, and whether the release of the server is the one that its caller was made for. */
export const getCaller = operation({
  summary: 'Get the role and the applications of the caller, and the release of the server.',
  role: 'auditor',
  reach: 'filtered',
  result: z.object({
    kind: z.string().meta({ description: 'api_key or operator.' }),
    id: z.string().optional(),
    role: z.enum(roles),
    applications: z.array(z.string()).optional().meta({ description: 'Left out: all.' }),
    version: z.string(),
  }),
  async run({ caller: { actor, role, applications } }) {
    const limit = applications === undefined ? {} : { applications: [...applications] };
    return done({ kind: actor.kind, id: actor.id, role, ...limit, version: releaseVersion() });
  },
});
