import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Why an agent gets no tokens. */
export const agentFailures = {
  agentStopped: {
    error: 'unauthorized_client',
    status: 400,
    description: 'The owner of this agent has stopped it.',
    cause:
      'Its owner, or somebody in the group that owns it, has stopped it at /account/agents. All its tokens were revoked.',
    fix: 'The owner can start it again on the same page.',
    title: { en: 'The agent is stopped', zh: '智能体已被停用' },
    rule: {
      en: 'The owner of an agent decides whether it may act.',
      zh: '智能体能否操作由其所有者决定。',
      reference: 'RFC 6749 section 5.2',
    },
  },
  agentWithoutOwner: {
    error: 'unauthorized_client',
    status: 400,
    description: 'The owner of this agent has no access to this application any more.',
    cause:
      'The user who owns the agent is disabled or deleted, or the setting access of the application does not admit the user.',
    fix: 'An operator can set another owner, or give the user access again.',
    title: { en: 'The agent has no owner', zh: '智能体没有所有者' },
    rule: {
      en: 'An agent can act only while somebody is responsible for it.',
      zh: '只有存在负责人时，智能体才能操作。',
      reference: 'RFC 6749 section 5.2',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
