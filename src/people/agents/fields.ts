import { z } from 'zod';
import { membershipNameFault } from '../../directory/access/rules.ts';
import { clientField, type DeclaredFields, oneOf } from '../../directory/fields/declaration.fields.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import { usernameFault } from '../../platform/text/readable-name.rules.ts';

/** Kept as login names are compared, so that the agents of a person are found by it. */
const user = z
  .string('must be a user name')
  .refine(text => loginName(text) !== undefined && usernameFault(text) === undefined, 'must be a user name')
  .overwrite(text => loginName(text) ?? text);

const group = z.string('must be a group').superRefine((text, context) => {
  const fault = membershipNameFault(text);
  if (fault !== undefined) context.addIssue(fault);
});

const owner = z.union([z.strictObject({ user }), z.strictObject({ group })], 'must be { user } or { group }');

export const agentFields: DeclaredFields = {
  client: [
    clientField('client_type', {
      schema: oneOf(['agent'] as const).optional(),
      meaning:
        '`agent`: a program that acts on its own, such as an assistant. It has an `owner`, its tokens say that it acts (`act`), and its owner sees what it may do, and can stop it, on the account page.',
      see: 'agents.md',
      byDefault: 'an ordinary client',
      section: 'identity',
      text: {
        en: [
          'Client type',
          'An agent acts on its own, such as an assistant: it has an owner, and its tokens say that it acts.',
        ],
        zh: ['类型', '智能体会自行操作（例如助手）：它有所有者，其令牌会表明是它在操作。'],
      },
      choices: { en: { agent: 'Agent' }, zh: { agent: '智能体' } },
      unset: { en: 'Ordinary client', zh: '普通客户端' },
    }),
    clientField('owner', {
      schema: owner.optional(),
      meaning:
        'Who is responsible for an agent: `{ user: alice }`, or `{ group: support }` for everybody in a group. The owner sees what the agent may do, and can stop it.',
      see: 'agents.md',
      section: 'identity',
      control: 'custom',
      text: {
        en: ['Owner', 'The user or group that is responsible for an agent. They see what it may do, and can stop it.'],
        zh: ['所有者', '智能体的负责人：可查看其权限并将其停用。'],
      },
    }),
  ],
};
